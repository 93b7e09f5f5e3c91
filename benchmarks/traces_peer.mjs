// Analyses a trace with chrome-devtools-mcp's engine and says what that took: CPU seconds, peak bytes of memory.
// Arguments: the package's folder with its modules, as a URL; the file. All of the process counts, its start included.
import fs from 'node:fs';

const [modules, file] = process.argv.slice(2);
const {parseRawTraceBuffer} = await import(modules + 'processors/PerformanceTrace.js');
const {DevTools} = await import(modules + 'third_party/index.js');

// Its insights put texts into words: without a language they all fail. (The server does the same when it starts.)
DevTools.I18n.DevToolsLocale.DevToolsLocale.instance({
  create: true,
  data: {navigatorLanguage: 'en-US', settingLanguage: 'en-US', lookupClosestDevToolsLocale: name => name},
});
DevTools.I18n.i18n.registerLocaleDataForTest('en-US', {});

// Linux counts what the process that started this one had in its maxRSS as well: VmHWM is this program's own.
function peakMemory() {
  const status = fs.existsSync('/proc/self/status') ? fs.readFileSync('/proc/self/status', 'utf8') : '';
  const own = /^VmHWM:\s+(\d+)/m.exec(status);
  return (own ? Number(own[1]) : process.resourceUsage().maxRSS) * 1024;
}

const result = await parseRawTraceBuffer(fs.readFileSync(file));
if (result.error) throw new Error(result.error);
const {getLCP, getINP, getCLS} = DevTools.TraceEngine.Insights.Common;
const milliseconds = value => value === undefined || value === null ? null : value / 1000;
const loads = [...result.insights.values()].map(set => [
  milliseconds(getLCP(set)?.value), getCLS(set)?.value ?? null, milliseconds(getINP(set)?.value)]);
const used = process.cpuUsage();
fs.writeSync(1, JSON.stringify({cpu: (used.user + used.system) / 1e6, memory: peakMemory(), loads}) + '\n');
process.exit(0);
