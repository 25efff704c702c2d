import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { effectiveValues } from '../../config/effective';
import { type CompiledFiles, compileConfig } from '../../core/compile-config';
import { isJsonObject, type JsonObject } from '../../core/json';
import { NO_PROJECT } from '../messages';
import { openProject } from '../project';
import { printable, table } from '../ui/output';
import type { Context, Verb } from '../verb';

export const verb: Verb = {
  usage: 'holdpoint config [--sources] [--json]',
  run(args, context) {
    const { values } = parseArgs({
      args: [...args],
      options: { sources: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
    });
    const project = openProject(context);
    if (project === undefined) {
      context.out.error(NO_PROJECT);
      return 2;
    }
    const files = compileConfig(project.root, project.home);
    if (values.json) showJson(files, values.sources, context);
    else showText(files, values.sources, context);
    return files.diagnostics.some(({ severity }) => severity === 'error') ? 1 : 0;
  },
};

function showJson(files: CompiledFiles, sources: boolean, { out }: Context): void {
  out.json({
    files: files.sources.map(({ shown, layer }) => ({ file: shown, layer })),
    ...(sources ? { values: effectiveValues(files.model, files.valid) } : { config: asWritten(files) }),
    problems: files.diagnostics.map(({ code, severity, message, place }) => {
      return { code, severity, message, file: place.file, line: place.line, column: place.column };
    }),
  });
}

function showText(files: CompiledFiles, sources: boolean, { out }: Context): void {
  if (files.sources.length === 0 && files.problems.length === 0) {
    out.line('No config yet. Write .holdpoint/config.yaml; `holdpoint schema` helps your editor.');
    return;
  }
  for (const { shown, layer } of files.sources) out.line(out.style('dim', `# ${layer}: ${shown}`));
  for (const line of sources ? sourceLines(files) : yamlLines(files)) out.line(line);
  for (const problem of files.problems) out.error(printable(problem));
}

function yamlLines(files: CompiledFiles): string[] {
  const config = asWritten(files);
  return Object.keys(config).length === 0 ? [] : printable(stringify(config)).trimEnd().split('\n');
}

/** What only a seed's file can say stands in a drawer of its own in the model; people know it as plain keys. */
function asWritten({ valid, seedOnly }: CompiledFiles): JsonObject {
  const drawers = seedOnly.map((key) => valid[key]).filter(isJsonObject);
  const rest = Object.entries(valid).filter(([key]) => !seedOnly.includes(key));
  return { ...Object.assign({}, ...drawers), ...Object.fromEntries(rest) };
}

function sourceLines({ model, valid }: CompiledFiles): string[] {
  const rows = effectiveValues(model, valid).map(({ path, value, place, inForce }) => [
    path.join('.'),
    JSON.stringify(value),
    inForce ? place : `${place} (not in force)`,
  ]);
  return table(rows);
}
