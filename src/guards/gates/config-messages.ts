// The words for what is wrong between the parts of the gates' config.

export function noEntryPoints(): string {
  return '`entry_points` is missing: without one no gate ever runs';
}

export function noReviewers(): string {
  return '`cli.default_preference` is missing: it names the reviewers that may be asked';
}

export function badLogDir(standard: string): string {
  return `\`log_dir\` holds more than logs, which are moved and deleted; ${standard} is used instead`;
}

export function noSuchGate(entryPoint: string, kind: 'check' | 'review', name: string): string {
  return `Entry point "${entryPoint}" references non-existent ${kind} gate: "${name}"`;
}

export function gateIsOff(entryPoint: string, kind: 'check' | 'review', name: string): string {
  return `Entry point "${entryPoint}" goes without the ${kind} "${name}", which is switched off`;
}

export function noGates(entryPoint: string): string {
  return `Entry point "${entryPoint}" names no gates, so changes there have nothing to pass`;
}

export function pathLeadsOut(path: string): string {
  return `\`path\` must lead below the project, which "${path}" does not`;
}

export function notPreferred(tool: string, allowed: readonly string[]): string {
  return `\`cli_preference\` names ${tool}, which is not in \`cli.default_preference\` (${allowed.join(', ')})`;
}

export function instructionsLeadOut(home: string): string {
  return `\`fix_instructions\` must be a path below ${home}/`;
}

export function noInstructions(path: string): string {
  return `\`fix_instructions\` names ${path}, which does not exist`;
}

export function unreadInstructions(path: string, why: string): string {
  return `\`fix_instructions\` names ${path}: ${why}`;
}
