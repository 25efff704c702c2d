import { describe, expect, test } from 'vitest';
import { asBlock } from '../../../src/config/edit-yaml';
import { printableSchema } from '../../../src/core/compile-config';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/json';
import { PRESET_NAMES, PRESETS, pickedConfig } from '../../../src/guards/requirements/presets';
import type { RequirementsConfig } from '../../../src/guards/requirements/section';
import { type Files, printed, readFiles } from '../../config/scratch';

const FILE = '.claude/requirements.yaml';

function compiled(files: Files): RequirementsConfig {
  return readFiles(files).guards[0]?.config as unknown as RequirementsConfig;
}

describe('a message file', () => {
  const CONFIG = { [FILE]: 'requirements:\n  plan: {enabled: true}\n' };
  const GLOBAL = '~/.claude/messages/plan.yaml';
  const PROJECT = '.claude/messages/plan.yaml';
  const LOCAL = '.claude/messages.local/plan.yaml';
  const words = (files: Files) => {
    const { message, shortMessage } = compiled({ ...CONFIG, ...files }).requirements[0] ?? {};
    return [message, shortMessage];
  };

  test('counts alone: what it leaves out is not taken from a lower layer', () => {
    const low = { [GLOBAL]: 'blocking_message: global\nshort_message: global\n' };
    const middle = { ...low, [PROJECT]: 'blocking_message: project\n' };
    expect(words(low)).toEqual(['global', 'global']);
    expect(words(middle)).toEqual(['project', undefined]);
    expect(words({ ...middle, [LOCAL]: 'short_message: local\n' })).toEqual([undefined, 'local']);
    const alone = { ...low, [FILE]: `inherit: false\n${CONFIG[FILE]}` };
    expect(words(alone)).toEqual([undefined, undefined]);
  });

  test.each([
    ['message: own', 'own'],
    ['type: guard, guard_type: single_session', 'file'],
    ['type: dynamic, calculator: x, thresholds: {block: 1}', 'file'],
    ['type: dynamic, calculator: x, thresholds: {block: 1}, blocking_message: own', undefined],
  ])('speaks only where the requirement has no words of its own: %s', (said, message) => {
    const config = `requirements:\n  plan: {enabled: true, ${said}}\n`;
    expect(words({ [FILE]: config, [PROJECT]: 'blocking_message: file\n' })[0]).toBe(message);
  });

  test('may hold other keys of the older program, and with a mistake loses that key alone', () => {
    const text = 'version: "1.0"\nsuccess_message: a\nheader: b\naction_label: c\nfallback_text: d\n';
    expect(printed(readFiles({ ...CONFIG, [PROJECT]: text }))).toBe('');
    const wrong = { [PROJECT]: 'blocking_message: 5\nshort_message: s\nblokcing: x\n' };
    expect(words(wrong)).toEqual([undefined, 's']);
    expect(readFiles({ ...CONFIG, ...wrong }).diagnostics).toMatchObject([
      { code: 'config.wrong-type', place: { file: PROJECT, line: 1 }, switchesOff: 'blocking_message' },
      { code: 'config.unknown-key', place: { file: PROJECT, line: 3 } },
    ]);
  });

  test('alone configures nothing and does not bring the global requirements into a project', () => {
    const message = { [PROJECT]: 'blocking_message: m\n' };
    expect(readFiles(message).guards).toEqual([]);
    const global = { ...message, '~/.claude/requirements.yaml': CONFIG[FILE] ?? '' };
    expect(compiled(global).reach).toBe('global-only');
  });

  test('that is a template is accepted, with a warning', () => {
    const file = '.claude/messages/_templates.yaml';
    expect(readFiles({ ...CONFIG, [file]: 'a: {header: x}\nb: {header: x}\n' }).diagnostics).toMatchObject([
      {
        severity: 'warning',
        message: '`_templates.yaml` is accepted, but has no effect',
        place: { file, line: 1 },
      },
    ]);
  });
});

describe('a preset', () => {
  function requirementsOf(config: (typeof PRESETS)['strict']['config']): RequirementsConfig['requirements'] {
    const files = { [FILE]: `${asBlock(config, '1.1').join('\n')}\n` };
    expect(printed(readFiles(files))).toBe('');
    return compiled(files).requirements;
  }

  test('asks for what it says', () => {
    const names = PRESET_NAMES.map((preset) =>
      requirementsOf(PRESETS[preset].config)
        .map(({ name }) => name)
        .join(' '),
    );
    expect(Object.fromEntries(PRESET_NAMES.map((preset, at) => [preset, names[at]]))).toEqual({
      minimal: '',
      inherit: '',
      relaxed: 'commit_plan',
      strict: 'commit_plan protected_branch',
      advanced:
        'commit_plan adr_reviewed tdd_planned protected_branch branch_size_limit pre_pr_review codex_reviewer',
    });
    const picked = requirementsOf(pickedConfig(['github_ticket', 'commit_plan']));
    expect(picked.map(({ name }) => name)).toEqual(['commit_plan', 'github_ticket']);
  });
});

describe('the skills', () => {
  const ON = '{enabled: true}';
  const skills = (requirements: string) => compiled({ [FILE]: `requirements: {${requirements}}\n` }).skills;

  test('of the older program satisfy what they always did, by the full name and the short one', () => {
    const OLD = {
      'arch-review': ['commit_plan', 'adr_reviewed', 'tdd_planned', 'solid_reviewed'],
      'plan-review': ['commit_plan', 'adr_reviewed', 'tdd_planned', 'solid_reviewed'],
      'deep-review': ['pre_pr_review'],
      'v3-review': ['pre_pr_review'],
      'quality-check': ['pre_pr_review'],
      'pre-commit': ['pre_commit_review'],
      'requesting-code-review': ['pre_commit_review'],
      'codex-review': ['codex_reviewer'],
      brainstorming: ['design_approved'],
      'writing-plans': ['plan_written', 'commit_plan'],
      'test-driven-development': ['tdd_planned'],
      'systematic-debugging': ['debugging_systematic'],
      'verification-before-completion': ['verification_evidence'],
    };
    const names = [...new Set(['plan_written', ...Object.values(OLD).flat()])];
    const map = skills(names.map((name) => `${name}: ${ON}`).join(', '));
    for (const [skill, satisfies] of Object.entries(OLD)) {
      expect(map[`requirements-framework:${skill}`]).toEqual(satisfies);
      expect(map[skill]).toEqual(satisfies);
    }
    expect(skills(`commit_plan: {enabled: false}, adr_reviewed: ${ON}`)['arch-review']).toEqual([
      'adr_reviewed',
    ]);
  });

  test('of the config come on top, one for several, in its order; the one only named satisfies nothing', () => {
    const by = (skill: string) => `{enabled: true, satisfied_by_skill: "${skill}"}`;
    const map = skills(`b: ${by('review')}, a: ${by('review')}, commit_plan: ${by('mine:plan-it')}`);
    expect(map).toMatchObject({ review: ['b', 'a'], 'arch-review': ['commit_plan'] });
    expect([map['mine:plan-it'], map['plan-it']]).toEqual([['commit_plan'], ['commit_plan']]);
    expect(skills('plan: {enabled: true, auto_resolve_skill: plan-it}')).toEqual({});
  });
});

describe('what an editor shows beside a key', () => {
  /** Every key that the schema knows, by its path, with what is said of it. */
  function keysOf(schema: Json | undefined, path: string): [path: string, said: Json | undefined][] {
    if (Array.isArray(schema)) return schema.flatMap((part) => keysOf(part, path));
    if (!isJsonObject(schema)) return [];
    const { properties, ...rest } = schema;
    const own = Object.entries(isJsonObject(properties) ? properties : {}).filter(
      ([, key]) => isJsonObject(key) && !Object.hasOwn(key, 'const'),
    );
    return [
      ...own.flatMap(([name, key]) => [
        [`${path}/${name}`, (key as JsonObject)['description']] as [string, Json | undefined],
        ...keysOf(key, `${path}/${name}`),
      ]),
      ...Object.values(rest).flatMap((part) => keysOf(part, path)),
    ];
  }

  test('is a sentence, down to the leaves of the schema', () => {
    const top = ['version', 'inherit', 'guards', 'requirements', 'hooks', 'enforce_everywhere'];
    const keys = keysOf(printableSchema(), '').filter(([path]) => top.includes(path.split('/')[1] ?? ''));
    const leaves = [
      '/requirements/trigger_tools/command_pattern',
      '/requirements/evidence/max_age_seconds',
      '/requirements/thresholds/block',
      '/hooks/session_start/carry_over/window_seconds',
      '/guards/loop/on_error',
    ];
    expect(keys.map(([path]) => path)).toEqual(expect.arrayContaining(leaves));
    expect(keys.filter(([, said]) => !/^(?:[A-Z0-9]|`).{14,}\.$/s.test(String(said)))).toEqual([]);
  });
});
