// Loads heap snapshots with chrome-devtools-mcp's engine and says what that took: CPU seconds, peak bytes of memory.
// Arguments: the engine's module, then files; all but the last only warm it up.
import fs from 'node:fs';

const [engine, ...files] = process.argv.slice(2);
const {HeapSnapshotManager} = await import(engine);
const manager = new HeapSnapshotManager();
const cpu = () => { const used = process.cpuUsage(); return (used.user + used.system) / 1e6; };

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
fs.writeSync(1, JSON.stringify({cpu: cpu() - before, memory: process.resourceUsage().maxRSS * 1024, ...found}) + '\n');
process.exit(0);
