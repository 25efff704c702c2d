import type { CiStep } from './ci-config';

/** Steps as one shell script, each a group of lines that can be folded in the build's log. */
export function setupScript(steps: readonly CiStep[]): string {
  return steps.map(stepScript).join('\n');
}

function stepScript({ name, run, working_directory: directory }: CiStep): string {
  const line = directory === undefined ? run.trimEnd() : inDirectory(directory, run.trimEnd());
  return `echo ${quoted(`::group::${name}`)}\n${line}\necho "::endgroup::"`;
}

/** Several lines are kept together, or those after the first would run where the directory is missing. */
function inDirectory(directory: string, run: string): string {
  const body = run.includes('\n') ? `{\n${run}\n}` : run;
  return `(cd ${quoted(directory)} && ${body})`;
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"$`]/g, '\\$&')}"`;
}
