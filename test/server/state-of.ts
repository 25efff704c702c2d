import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Rig } from '../e2e/rig';

/** Every file that was written, without times, ids of decisions and of processes. */
export function stateOf(rig: Rig): string[] {
  return [join(rig.repo, '.git'), rig.home]
    .flatMap(filesBelow)
    .map((file) => [file.slice(rig.dir.length), file] as const)
    .filter(([name]) =>
      /^\/home\/(?!.config\/holdpoint\/code\/)|\.git\/(?:holdpoint|requirements)\//.test(name),
    )
    .map(([name, file]) => `${name} ${neutral(readFileSync(file, 'utf8'), rig)}`);
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((file) => statSync(file).isFile())
    .sort();
}

/** A text as it would be in any project, at any time. */
export function neutral(text: string, rig: Rig): string {
  return text
    .replaceAll(rig.dir, '/dir')
    .replace(/why \w+/g, 'why')
    .replace(/"id":"\w+"/g, '"id":""')
    .replace(/"seal": ?"\w+"/g, '""')
    .replace(/"(?:journal|chain)": ?"[\w.]+"/g, '""')
    .replace(/"\w+_seconds": \d+/g, '""')
    .replace(/"(?:ms|duration_ms|pid|ppid|start)": ?"?\d+"?/g, '""')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replace(/\b1[78]\d{8,11}(?:\.\d+)?\b/g, 'time');
}
