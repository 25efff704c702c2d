// The words for what is wrong between the parts of the workflow section.

export function didYouMean(name: string): string {
  return `did you mean \`${name}\`?`;
}

export function noSuchWorkflow(name: string): string {
  return `there is no workflow \`${name}\``;
}

export function workflowCircle(names: readonly string[]): string {
  return `these workflows extend each other in a circle: ${names.join(', ')}`;
}

export function noPhases(workflow: string): string {
  return `workflow \`${workflow}\` has no phases, so there is no way through it`;
}

export function nothingToEdit(workflow: string): string {
  return `workflow \`${workflow}\` changes phases but extends no workflow that has any`;
}

export function twice(workflow: string, phase: string): string {
  return `workflow \`${workflow}\` has phase \`${phase}\` twice: nobody could tell the second from the first`;
}

export function notInWorkflow(workflow: string, phase: string): string {
  return `workflow \`${workflow}\` has no phase \`${phase}\``;
}

export function noSuchPhase(phase: string): string {
  return `no workflow has a phase \`${phase}\``;
}

export function aliasCircle(alias: string): string {
  return `phase alias \`${alias}\` leads back to itself`;
}

export function noOwner(workflow: string, phase: string): string {
  return `no agent works in phase \`${phase}\` of workflow \`${workflow}\`: its gate goes without a delegation`;
}

export function ownerHint(phase: string): string {
  return `give an agent the phase: agents: {my-agent: {phases: [${phase}]}}`;
}

export function planTooLate(workflow: string, waits: string, makes: string): string {
  return `in workflow \`${workflow}\` phase \`${waits}\` waits for the plan that only \`${makes}\` makes, which comes later: it goes without`;
}

export function worksNowhere(agent: string): string {
  return `agent \`${agent}\` has no phases to work in, and so is nobody special`;
}

export function aliasTaken(agent: string, alias: string, other: string): string {
  return `agent \`${agent}\` cannot be called \`${alias}\`, which means \`${other}\``;
}

export function badProjectId(id: string): string {
  return `\`${id}\` is no id of a project: letters, digits, dots, dashes and underscores`;
}

export function noSuchProject(id: string): string {
  return `\`default\` names \`${id}\`, which is no project`;
}

export function wrongInFile(key: string, expected: string): string {
  return `\`${key}\` must be ${expected}; it is left out`;
}
