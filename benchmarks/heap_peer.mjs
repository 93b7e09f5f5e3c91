// Loads heap snapshots with chrome-devtools-mcp's engine and says what that took: CPU seconds, peak bytes of memory.
// Arguments: the engine's module, then files; all but the last only warm it up.
import fs from 'node:fs';

const [engine, ...files] = process.argv.slice(2);
const {HeapSnapshotManager} = await import(engine);
const manager = new HeapSnapshotManager();
const cpu = () => { const used = process.cpuUsage(); return (used.user + used.system) / 1e6; };

// Linux counts what the process that started this one had in its maxRSS as well: VmHWM is this program's own.
function peakMemory() {
  const status = fs.existsSync('/proc/self/status') ? fs.readFileSync('/proc/self/status', 'utf8') : '';
  const own = /^VmHWM:\s+(\d+)/m.exec(status);
  return (own ? Number(own[1]) : process.resourceUsage().maxRSS) * 1024;
}

async function analyse(file) {
  await manager.getSnapshot(file);
  const statistics = await manager.getStats(file);
  await manager.getAggregates(file);
  return {total: statistics.total};
}

let before = 0;
let found;
for (const [index, file] of files.entries()) {
  // Alone, all of the process counts.
  if (index === files.length - 1 && files.length > 1) before = cpu();
  found = await analyse(file);
}
fs.writeSync(1, JSON.stringify({cpu: cpu() - before, memory: peakMemory(), ...found}) + '\n');
process.exit(0);
