import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SETTINGS_FILES } from '../../core/accepted-config';
import { attempt, detailOf, readText } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import { type JsonObject, jsonObjectIn, objectIn } from '../../core/json';
import type { Context } from '../context';
import type { WiredLine } from '../install/installed-state';
import { ownDist, shellWord } from '../install/launch';
import type { Reply } from '../try/stage';
import { advice, type Check, type FixContext, failed, passed, reinstallFix, replaceFix } from './report';

const LONGEST_MS = 20_000;
/** The PATH of a program that was started from a desktop. */
const DESKTOP_PATH = '/usr/bin:/bin:/usr/sbin:/sbin';
const LONGEST_SHOWN = 400;
/** Of the places in OWN_PLACES, the scratch home links only to what starts the hook and to its compiled code. */
const STARTERS = [
  '.config/holdpoint/launch',
  '.config/holdpoint/lib',
  '.config/holdpoint/code',
  '.claude/hooks',
  '.claude/plugins',
];
const OWN_PLACES = ['.claude', '.config', '.git', '.holdpoint', '.gauntlet', '.isdlc'];
const MOST_LINKS = 2000;

/** The config of the scratch project, under which the event of `eventToHold` must be held. */
const PROBE_CONFIG = `inherit: false
requirements:
  doctor_probe:
    enabled: true
    scope: session
    trigger_tools: [{ tool: Bash, command_pattern: 'git\\s+commit' }]
`;
const SESSION = 'd0c7070d-0000-4000-8000-000000000001';
const FORBIDDEN = 'git commit -m probe';

/** An event for a commit without a plan, in a host's format; undefined if the host starts no command. */
export function eventToHold(host: HostName, cwd: string, command = FORBIDDEN): JsonObject | undefined {
  const common = { session_id: SESSION, cwd, tool_input: { command } };
  const shared = { ...common, hook_event_name: 'PreToolUse', tool_name: 'Bash' };
  switch (host) {
    case 'claude-code':
    case 'codex':
      return { ...shared, tool_use_id: 'toolu_doctor' };
    case 'copilot':
      return shared;
    case 'gemini':
      return { ...common, hook_event_name: 'BeforeTool', tool_name: 'run_shell_command' };
    case 'cursor': {
      const cursor = { conversation_id: SESSION, workspace_roots: [cwd], cursor_version: '2.4.21' };
      return { ...common, ...cursor, hook_event_name: 'preToolUse', tool_name: 'Shell' };
    }
    case 'opencode':
      return undefined;
  }
}

/** Whether an answer is a hold, in any host's format. */
export function isHeld(stdout: string, exitCode: number | null): boolean {
  return exitCode === 2 || /"(?:permissionDecision|decision|permission)"\s*:\s*"(?:deny|block)"/.test(stdout);
}

/** Runs a line as hosts do, with exactly this environment. */
export function runLine(line: string, cwd: string, env: Context['env'], input: string): Reply {
  const { stdout, stderr, status, error } = spawnSync('/bin/sh', ['-c', line], {
    cwd,
    env: { ...env },
    input,
    encoding: 'utf8',
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  });
  // A line that exits before reading all its input causes a pipe error; its own stderr says more.
  return { stdout: stdout ?? '', stderr: stderr || (error?.message ?? ''), exitCode: status };
}

/** Creates a project with this config, without running git. */
export function buildScratchProject(project: string, config: string): void {
  for (const dir of ['.holdpoint', '.git/objects', '.git/refs'])
    mkdirSync(join(project, dir), { recursive: true });
  writeFileSync(join(project, '.git', 'HEAD'), 'ref: refs/heads/probe\n');
  writeFileSync(join(project, '.holdpoint', 'config.yaml'), config);
}

/**
 * A scratch project with a scratch home, which links to the user's programs, if their home is given, but takes all
 * writes except compiled code. Leaves nothing behind if it throws.
 */
export function buildProbeStage(home?: string) {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-doctor-')));
  const [project, scratchHome] = [join(scratch, 'project'), join(scratch, 'home')];
  const stage = {
    /** Runs a line with an event that must be held; undefined if the host starts no command. */
    send(
      { host, line }: Pick<WiredLine, 'host' | 'line'>,
      env: Context['env'],
      command = FORBIDDEN,
    ): Reply | undefined {
      const event = eventToHold(host, project, command);
      const given = { HOME: scratchHome, ...env, CLAUDE_PROJECT_DIR: project };
      return event && runLine(line, project, given, JSON.stringify(event));
    },
    remove: (): void => rmSync(scratch, { recursive: true, force: true }),
  };
  try {
    buildScratchProject(project, PROBE_CONFIG);
    if (home !== undefined) linkHome(home, scratchHome);
    return stage;
  } catch (error) {
    stage.remove();
    throw error;
  }
}

type ProbeStage = ReturnType<typeof buildProbeStage>;

function linkHome(from: string, to: string): void {
  for (const dir of ['.config/holdpoint', '.claude']) mkdirSync(join(to, dir), { recursive: true });
  const rest = ['', '.config'].flatMap((below) =>
    (attempt(() => readdirSync(join(from, below))) ?? []).map((name) => join(below, name)),
  );
  const names = rest.filter((name) => !OWN_PLACES.includes(name) && name !== '.config/holdpoint');
  for (const name of [...STARTERS, ...names.slice(0, MOST_LINKS)]) {
    if (!existsSync(join(from, name))) continue;
    mkdirSync(dirname(join(to, name)), { recursive: true });
    symlinkSync(join(from, name), join(to, name));
  }
}

/** Sends an event that must be held through every installed line, as the host would, in a scratch project. */
export function probeChecks(fixContext: FixContext): Check[] {
  const { lines } = fixContext;
  if (lines.length === 0) return [];
  return onStage('hook.fires', fixContext.target.home, (stage) =>
    lines.flatMap((one) => sendProbe(one, fixContext, stage)),
  );
}

/** Runs checks on a stage, then removes it. If it cannot be built, that is the failed check. */
function onStage(
  id: 'hook.fires' | 'hook.denies',
  home: string | undefined,
  check: (stage: ProbeStage) => Check[],
): Check[] {
  try {
    const stage = buildProbeStage(home);
    try {
      return check(stage);
    } finally {
      stage.remove();
    }
  } catch (error) {
    return [failed(id, `could not create a scratch project to test the hook: ${detailOf(error)}`)];
  }
}

function sendProbe(wired: WiredLine, fixContext: FixContext, stage: ProbeStage): Check[] {
  const { host, file, line } = wired;
  const set = host === 'claude-code' ? settingsEnvironment(fixContext.target) : {};
  const { HOME: _, ...here } = fixContext.target.env;
  const environments = { 'from here': { ...here, ...set }, 'from a desktop': { PATH: DESKTOP_PATH, ...set } };
  return Object.entries(environments).flatMap(([where, given]) => {
    const reply = stage.send(wired, given);
    if (reply === undefined) return [];
    const about = `${host}, started ${where}: a commit that must be held`;
    if (isHeld(reply.stdout, reply.exitCode)) return passed('hook.fires', `${about} is held (${file})`);
    const text = `${reply.stdout}${reply.stderr}`.trim().slice(0, LONGEST_SHOWN);
    const said = `${text === '' ? 'nothing' : JSON.stringify(text)} with exit code ${reply.exitCode ?? 'none'}`;
    const what = `${about} was allowed. ${file} runs \`${line}\`, which answered ${said}`;
    return failed('hook.fires', what, fixFor(reply, wired, fixContext));
  });
}

/** The environment variables that Claude Code's settings add to everything it starts. */
function settingsEnvironment({ project, home }: FixContext['target']): Record<string, string> {
  const files = [
    ...SETTINGS_FILES.home.map((file) => join(home, file)),
    ...SETTINGS_FILES.project.map((file) => join(project, file)),
  ];
  const set = files.flatMap((file) =>
    Object.entries(objectIn(jsonObjectIn(readText(file) ?? '') ?? {}, 'env')),
  );
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
}

function fixFor({ stderr }: Reply, { found, by }: WiredLine, fixContext: FixContext) {
  if (/HOLDPOINT_DISABLE/.test(stderr)) return advice('Unset HOLDPOINT_DISABLE where the agent is started');
  return by === 'hand'
    ? replaceFix(found, fixContext, 'Replace it with the installed entries')
    : reinstallFix(found, fixContext, 'Reinstall the entries');
}

const REINSTALL = advice('Build Holdpoint again', 'npm ci && npm run build && npm link');

/** Sends two events to the built hook, in a scratch project with a home of its own. */
export function probeHook(): Check[] {
  const hook = join(ownDist(), 'hook.cjs');
  if (!existsSync(hook)) return [failed('hook.bundle', `${hook} is missing`, REINSTALL)];
  const line = [process.execPath, hook].map(shellWord).join(' ');
  const tried = onStage('hook.denies', undefined, (stage) => {
    const send = (command: string) =>
      stage.send({ host: 'claude-code', line }, { PATH: process.env['PATH'] }, command);
    const [status, commit] = [send('git status'), send(FORBIDDEN)];
    const [allowed, held] = ['a harmless event', 'a commit that a rule holds'];
    return [
      status?.exitCode === 0 && status.stdout === ''
        ? passed('hook.allows', `${allowed} is allowed silently`)
        : failed('hook.allows', `${allowed} was answered with ${answerOf(status)}`, REINSTALL),
      commit?.exitCode === 0 && isHeld(commit.stdout, 0)
        ? passed('hook.denies', `${held} is held`)
        : failed('hook.denies', `${held} was answered with ${answerOf(commit)}`, REINSTALL),
    ];
  });
  return [passed('hook.bundle', hook), ...tried];
}

function answerOf(reply: Reply | undefined): string {
  const [said = ''] = (reply?.stdout || reply?.stderr || '').split('\n');
  return `${said === '' ? 'nothing' : said} (exit code ${reply?.exitCode})`;
}
