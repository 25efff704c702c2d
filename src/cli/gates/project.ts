import { type Diagnostic, formatDiagnostic } from '../../config/diagnostics';
import { compileConfig } from '../../core/compile-config';
import { projectAbove } from '../../core/project';
import type { GatesConfig } from '../../guards/gates/config';
import { gatesSection } from '../../guards/gates/section';
import { NO_PROJECT } from '../messages';
import type { Context } from '../verb';
import { NO_GATES } from './messages';

/** The gates of the project in which the person stands, with what is wrong about their config. */
export interface GatesHere {
  readonly root: string;
  /** Absent where the project has none. */
  readonly config: GatesConfig | undefined;
  /** The files that say something about gates, as they are shown. */
  readonly files: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly errors: readonly Diagnostic[];
}

/** Reads the config anew: a command shows its mistakes with their lines. `undefined` outside of projects. */
export function gatesHere({ cwd, env }: Context): GatesHere | undefined {
  const project = projectAbove(cwd, env['HOME'] ?? '');
  if (project === undefined) return undefined;
  const compiled = compileConfig(project.root, project.home);
  const guard = compiled.guards.find(({ name }) => name === 'gates');
  const diagnostics = compiled.diagnostics.filter(
    ({ topKey }) => topKey === undefined || Object.hasOwn(gatesSection.keys, topKey),
  );
  const isOurs = (shown: string, value: object): boolean =>
    shown.includes('gauntlet') || Object.hasOwn(value, 'gates');
  return {
    root: project.root,
    config: guard?.config as GatesConfig | undefined,
    files: compiled.sources.filter(({ shown, value }) => isOurs(shown, value)).map(({ shown }) => shown),
    diagnostics,
    errors: diagnostics.filter(({ severity }) => severity === 'error'),
  };
}

/** Gates that can be worked with. */
export type Configured = GatesHere & { readonly config: GatesConfig };

/** The gates here; where there are none, says why and gives nothing. */
export function requireGates(context: Context): Configured | undefined {
  const here = gatesHere(context);
  if (here?.config !== undefined) return { ...here, config: here.config };
  context.out.error(here === undefined ? NO_PROJECT : NO_GATES);
  return undefined;
}

/** What is wrong with the config, underlined, one after the other. */
export function showDiagnostics(diagnostics: readonly Diagnostic[], { out }: Context): void {
  for (const diagnostic of diagnostics) out.error(formatDiagnostic(diagnostic));
}

/** The same for programs. */
export function diagnosticJson({ code, severity, message, hint, place }: Diagnostic): object {
  const { file, line, column } = place;
  return { code, severity, message, file, line, column, ...(hint !== undefined && { hint }) };
}
