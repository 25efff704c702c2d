import { diagnose, formatDiagnostic } from '../config/diagnostics';
import { loadText } from '../config/files';
import type { Json } from '../core/json';
import { guard } from '../guards/rules';
import { compileRuleFiles } from '../guards/rules/compile';
import type { CompileExtraRules } from './rules';

/** Compiles the files that `--rules` names into a guard of their own, beside those of the config. */
export const compileExtraRules: CompileExtraRules = (files, root) => {
  if (files.length === 0) return [];
  const problems: string[] = [];
  const config = compileRuleFiles(files, {
    root,
    read: loadText,
    peek: loadText,
    reportIn: (source, span, finding) =>
      void problems.push(formatDiagnostic(diagnose(source, span, finding))),
  });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const compiled = { name: guard.name, interests: guard.interest(config), onError: 'allow' } as const;
  return [{ compiled, config: config as unknown as Json }];
};
