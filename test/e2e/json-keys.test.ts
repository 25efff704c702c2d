import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn, KEY } from './events';
import { type HostDocument, makeRig, type Rig, runNow } from './rig';

let rig: Rig;
let on: Events;

/** Everything that a command can have something to tell about. */
beforeAll(() => {
  rig = makeRig(
    [
      'requirements:',
      '  commit_plan: {enabled: true}',
      '  size: {enabled: true, type: dynamic, calculator: echo 30, thresholds: {block: 10}}',
      '  main: {enabled: true, type: guard, guard_type: protected_branch}',
      '  once: {enabled: true, scope: permanent}',
      '  wrong: {enabled: true, scope: brnch}',
      '',
    ].join('\n'),
    '.holdpoint/config.yaml',
  );
  on = eventsIn(rig);
  rig.hook(on.start('startup'));
  rig.req(['approve', 'size', 'once', '--session', KEY]);
  rig.req(['pause', '--session', KEY, '--reason', 'drill']);
  rig.req(['resume', '--session', KEY]);
  rig.hook(on.pre('Edit', EDIT, { tool_use_id: 't', agent_id: 'a' }));
  rig.write('.git/requirements/broken.json', '{bad');
});
afterAll(() => rig.remove());

const env = { CLAUDE_CODE_SESSION_ID: KEY };

/** Every key of a document, with the way to it. */
function keysIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => keysIn(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    `${path}/${key}`,
    ...keysIn(inner, `${path}/${key}`),
  ]);
}

describe('the JSON of', () => {
  it.each<[command: 'req' | 'holdpoint', args: string[]]>([
    ['req', ['status']],
    ['req', ['list']],
    ['req', ['sessions', '--all']],
    ['req', ['explain', 'Edit', '{"file_path": "a"}']],
    ['req', ['verify']],
    ['req', ['doctor']],
    ['req', ['prune', '--dry-run']],
    ['req', ['satisfy', 'commit_plan']],
    ['req', ['clear', 'commit_plan']],
    ['req', ['pause']],
    ['req', ['resume']],
    ['req', ['enable']],
    ['req', ['init', '--preview', '--local']],
    ['req', ['messages']],
    ['req', ['messages', 'list']],
    ['holdpoint', ['status']],
    ['holdpoint', ['doctor']],
    ['holdpoint', ['config', '--sources']],
    ['holdpoint', ['log', '-n', '1']],
    ['holdpoint', ['help']],
    ['holdpoint', ['install', '--dry-run']],
    ['holdpoint', ['uninstall', '--dry-run']],
    ['holdpoint', ['init', '--dry-run']],
  ])('%s %j has keys of one spelling', (command, args) => {
    const { json, stderr } = rig[command]([...args, '--json'], { env });
    const keys = keysIn(json);
    expect(keys, stderr).not.toEqual([]);
    expect(keys.filter((key) => !/\/[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(key))).toEqual([]);
  });

  it('one decision, and of an event that is explained', () => {
    const [id] = /"id":"\w+"/.exec(rig.holdpoint(['log', '-n', '50', '--json']).stdout) ?? [];
    const decision = rig.holdpoint(['why', JSON.parse(`{${id}}`).id, '--json']).json;
    const { json } = runNow('holdpoint', ['explain', '-', '--json'], JSON.stringify(on.pre('Edit', EDIT)), {
      cwd: rig.repo,
      env: rig.environment(),
    });
    for (const document of [decision, json]) {
      expect(keysIn(document)).not.toEqual([]);
      expect(keysIn(document).join('\n')).not.toMatch(/[A-Z]/);
    }
  });

  it('a requirement and of a session is the same in `req status` and in `holdpoint status`', () => {
    const both = [rig.req(['status', '--json'], { env }), rig.holdpoint(['status', '--json'], { env })];
    const [one, other] = both.map(({ json }) => json as HostDocument);
    expect(one).toMatchObject({ requirements: expect.arrayContaining([expect.anything()]) });
    for (const part of ['project', 'branch', 'session', 'requirements', 'sessions', 'problems'])
      expect(other?.[part], part).toEqual(one?.[part]);
  });
});
