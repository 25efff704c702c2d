// Started by measure.mjs, where only the loopback can be reached.
import { cpus, loadavg } from 'node:os';
import { loadTs } from './load-ts.mjs';

const { SCENES, timeCalls } = await loadTs('test/clients/claude-code/measure.ts');
const [calls = 20, rounds = 3] = process.argv.slice(2).map(Number);

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const load = loadavg()[0];
const medians = new Map(SCENES.map(({ name }) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  const order = SCENES.map((scene) => ({ scene, at: Math.random() })).sort((a, b) => a.at - b.at);
  for (const { scene } of order) medians.get(scene.name).push(median(await timeCalls(scene, calls)));
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const bare = Math.min(...medians.get('no hooks'));
console.log(
  `Milliseconds a Bash call in Claude Code: medians of ${calls} calls, ${rounds} rounds in random order.`,
);
console.log(
  `${cpus().length} cores, load ${load.toFixed(1)} before and ${loadavg()[0].toFixed(1)} after, Node ${process.version}.\n`,
);
console.log('| hooks before and after the call | lowest round | mean | highest | added, lowest to lowest |');
console.log('|---|---|---|---|---|');
for (const [name, all] of medians) {
  const [low, middle, high] = [Math.min(...all), mean(all), Math.max(...all)].map(Math.round);
  const added = Math.round(low - bare);
  const more = name === 'no hooks' ? '' : `${added < 0 ? '' : '+'}${added}`;
  console.log(`| ${name} | ${low} | ${middle} | ${high} | ${more} |`);
}
