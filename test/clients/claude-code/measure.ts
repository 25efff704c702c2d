import { bash, call, type Script, say } from '../scripted-model';
import { buildProject, type Project } from './project';
import { install, wireLine } from './wire';

/** What is measured: a project, and what the agent does before its calls are timed. */
export interface Scene {
  readonly name: string;
  readonly config: string;
  /** The line of the hook; where there is none, the client has no hooks at all. */
  readonly line?: string | 'ours';
  readonly first?: string;
  readonly command?: string;
  /** Whether the calls have to be denied. Anything else than what the name says is not measured. */
  readonly isDenied?: true;
}

const BASH_PLAN =
  "inherit: false\nrequirements: {plan: {enabled: true, trigger_tools: [{tool: Bash, command_pattern: '^true'}]}}\n";

export const SCENES: readonly Scene[] = [
  { name: 'no hooks', config: '' },
  { name: 'a hook that is `:` in sh', config: '', line: ':' },
  { name: 'a hook that is `node -e 0`', config: '', line: `'${process.execPath}' -e 0` },
  { name: 'Holdpoint, nothing configured', config: '', line: 'ours' },
  { name: 'Holdpoint, a call that no requirement names', config: BASH_PLAN, line: 'ours', command: 'pwd' },
  {
    name: 'Holdpoint, a requirement that is satisfied',
    config: BASH_PLAN,
    line: 'ours',
    first: 'req satisfy plan',
  },
  { name: 'Holdpoint, a requirement that denies', config: BASH_PLAN, line: 'ours', isDenied: true },
  {
    name: 'Holdpoint, a loop',
    config: '',
    line: 'ours',
    first: "holdpoint loop start --max 2 'Do it'",
  },
  {
    name: 'Holdpoint, a workflow',
    config: '',
    line: 'ours',
    first: "holdpoint flow start fix --description 'Login fails' && holdpoint flow begin",
    command: 'git status --short',
  },
];

/** So many first calls fill the caches of the client and of the hook. */
const UNMEASURED = 3;

/** Milliseconds from the model's answer with a call to the next question, for each of `calls` calls. */
export async function timeCalls(scene: Scene, calls: number): Promise<number[]> {
  const project: Project = buildProject(scene.config);
  try {
    if (scene.line === 'ours') install(project);
    else if (scene.line !== undefined) wireLine(project, scene.line);
    const times: number[] = [];
    const odd: string[] = [];
    let asked = 0;
    let answered = 0;
    const script: Script = ({ news }) => {
      const took = performance.now() - answered;
      const isLast = asked === UNMEASURED + calls;
      if (asked > UNMEASURED) times.push(took);
      if (asked > UNMEASURED && news.includes('Nothing was changed') !== (scene.isDenied ?? false))
        odd.push(news);
      asked += 1;
      const command = asked === 1 ? (scene.first ?? 'true') : (scene.command ?? 'true');
      const turn = isLast ? say('<loop-done>COMPLETE</loop-done>') : call(bash(command));
      answered = performance.now();
      return turn;
    };
    const { exitCode, stderr } = await project.playScript(script);
    if (exitCode !== 0 || times.length !== calls || odd.length > 0)
      throw new Error(`${scene.name}: ${times.length} calls, exit code ${exitCode}: ${odd[0] ?? stderr}`);
    return times;
  } finally {
    project.remove();
  }
}
