import { stringify } from 'yaml';
import { effectiveValues } from '../../config/merge';
import type { CompiledFiles } from '../../core/compile-config';
import { isJsonObject, type JsonObject } from '../../core/json';
import { type Context, type ExitCode, type Options, report } from '../context';
import { notInEffect, requireProject } from '../project';
import { print, styled, table } from '../ui/output';

export function config(context: Context, values: Options<'sources'>): ExitCode {
  const { root, home } = requireProject(context);
  const files = context.chunks.part('compile-config').compileConfig(root, home);
  const notes = notInEffect(context);
  const value = { in_effect: notes.length === 0, ...configJson(files, values.sources) };
  report(context, value, [...notes, ...configLines(files, values.sources)], files.problems);
  return files.diagnostics.some(({ severity }) => severity === 'error') ? 1 : 0;
}

function configJson(files: CompiledFiles, sources: boolean): object {
  return {
    files: files.sources.map(({ shown, layer }) => ({ file: shown, layer })),
    ...(sources ? { values: effectiveValues(files.model, files.valid) } : { config: asWritten(files) }),
    problems: files.diagnostics.map(({ code, severity, message, place }) => {
      return { code, severity, message, file: place.file, line: place.line, column: place.column };
    }),
  };
}

function configLines(files: CompiledFiles, sources: boolean): string[] {
  if (files.sources.length === 0 && files.problems.length === 0)
    return ['No config yet. Run `holdpoint init` to write one.'];
  const config = asWritten(files);
  const written = Object.keys(config).length === 0 ? [] : [stringify(config).trimEnd()];
  const names = files.sources.map(({ shown, layer }) => styled('dim', `# ${layer}: ${shown}`));
  return [...names, ...(sources ? sourceLines(files) : written)];
}

/** The config as people write it: keys that only an older program's file can set are nested in the model. */
function asWritten({ valid, legacyOnly }: CompiledFiles): JsonObject {
  const nested = legacyOnly.map((key) => valid[key]).filter(isJsonObject);
  const rest = Object.entries(valid).filter(([key]) => !legacyOnly.includes(key));
  return { ...Object.assign({}, ...nested), ...Object.fromEntries(rest) };
}

function sourceLines({ model, valid }: CompiledFiles): string[] {
  const rows = effectiveValues(model, valid).map(({ path, value, place, in_effect }) => {
    return [path.join('.'), JSON.stringify(value), in_effect ? place : `${place} (not in effect)`];
  });
  return table(rows);
}

export function schema({ chunks }: Context): ExitCode {
  print(JSON.stringify(chunks.part('compile-config').printableSchema(), null, 2));
  return 0;
}
