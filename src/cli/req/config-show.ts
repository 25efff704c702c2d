import { formatDiagnostic } from '../../config/diagnostics';
import { placeOf } from '../../config/locate';
import { isSwitchedOn } from '../../config/own-keys';
import { pointerOf, showPath } from '../../config/pointer';
import { LAYERS, type Layer } from '../../config/source';
import { asBlock } from '../../config/write-yaml';
import type { CompiledFiles } from '../../core/compile-config';
import { isJsonObject, type JsonObject } from '../../core/json';
import { FILE } from '../../guards/requirements/section';
import { printable } from '../ui/output';
import type { Context, ExitCode } from '../verb';
import { LOCAL_SEED, PROJECT_SEED } from './config-file';
import type { ConfigOptions } from './config-options';

const SEEDS: Readonly<Record<Layer, string>> = {
  global: `~/${PROJECT_SEED}`,
  project: PROJECT_SEED,
  local: LOCAL_SEED,
};

interface SourceBlock {
  readonly layer: Layer;
  readonly file: string;
  /** Absent where there is no such file. */
  readonly config?: JsonObject;
}

type Asked = Pick<ConfigOptions, 'sources' | 'json'>;

/** The whole config of the requirements as it is in force, on wish with what each file says. */
export function showAll(files: CompiledFiles, { sources, json }: Asked, { out }: Context): ExitCode {
  const merged = mergedConfig(files);
  if (json) {
    const more = sources ? { sources: LAYERS.flatMap((layer) => blocksOf(layer, files)) } : {};
    out.json({ config: merged, ...more, problems: files.problems });
    return 0;
  }
  if (sources) {
    for (const block of LAYERS.flatMap((layer) => blocksOf(layer, files))) {
      out.line(out.style('bold', `${block.layer.toUpperCase()} (${block.file}):`));
      out.line(block.config === undefined ? '(not present)' : pretty(block.config));
      out.line();
    }
    out.line(out.style('bold', 'MERGED RESULT:'));
  } else out.line(out.style('dim', 'Merged from: global -> project -> local'));
  out.line(pretty(merged));
  for (const problem of files.problems) out.error(problem);
  return 0;
}

/** One requirement with all its keys, whether it is enabled, and what is wrong with it. */
export function showOne(
  name: string,
  entry: JsonObject,
  files: CompiledFiles,
  { json }: Asked,
  { out }: Context,
): ExitCode {
  const enabled = entry['enabled'] === true;
  const path = ['requirements', name];
  const place = placeOf(files.model, pointerOf(path)) ?? '';
  const wrong = files.diagnostics.filter(({ switchesOff }) => switchesOff === showPath(path));
  const problems = wrong.map(formatDiagnostic);
  if (json) {
    out.json({ name, enabled, place, config: entry, problems });
    return 0;
  }
  out.line(out.style('bold', `Configuration: ${name}`));
  for (const line of asBlock(entry, '1.1')) out.line(printable(`  ${line}`));
  out.line(out.style('dim', `  # ${place}`));
  out.line(out.style(enabled ? 'green' : 'yellow', `Currently ${enabled ? 'enabled' : 'disabled'}`));
  for (const problem of problems) out.error(problem);
  return 0;
}

/** What is in force, in the shape of a requirements file. */
function mergedConfig({ valid }: CompiledFiles): JsonObject {
  const rest = valid[FILE];
  const own = ['inherit', 'enforce_everywhere', 'requirements', 'hooks'].flatMap((key) =>
    valid[key] === undefined ? [] : [[key, valid[key]] as const],
  );
  return {
    ...(isJsonObject(rest) ? rest : {}),
    ...(isSwitchedOn(valid) ? {} : { enabled: false }),
    ...Object.fromEntries(own),
  };
}

/** The layer's requirements file, there or not, and our own file where it is. Files of messages are left out. */
function blocksOf(layer: Layer, { sources }: CompiledFiles): SourceBlock[] {
  const seed = SEEDS[layer];
  const present = sources.filter((source) => source.layer === layer);
  const config = present.find(({ shown }) => shown === seed)?.value;
  const own = present.filter(({ shown }) => shown !== seed && !shown.includes('.claude/messages'));
  return [
    { layer, file: seed, ...(config !== undefined && { config }) },
    ...own.map(({ shown, value }) => ({ layer, file: shown, config: value })),
  ];
}

function pretty(value: JsonObject): string {
  return printable(JSON.stringify(value, null, 2));
}
