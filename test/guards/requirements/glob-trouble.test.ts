import { describe, expect, test } from 'vitest';
import type { RequirementsConfig } from '../../../src/guards/requirements/config';
import { printed, readFiles } from '../../config/scratch';

const FILE = '.holdpoint/config.yaml';

function read(keys: string) {
  return readFiles({
    [FILE]: `requirements:\n  other: {enabled: true}\n  plan:\n    enabled: true\n    ${keys}\n`,
  });
}

function names(keys: string): string[] {
  const config = read(keys).guards[0]?.config as unknown as RequirementsConfig;
  return config.requirements.map(({ name }) => name);
}

describe('a glob that would match nothing is refused where it stands', () => {
  test.each([
    ['paths: ["!src/**"]', 'begins with `!`'],
    ['exclude_paths: [src, "!src/keep"]', 'begins with `!`'],
    ['paths: ["src/[ab"]', 'square brackets'],
    ['paths: ["src/[z-a].ts"]', 'square brackets'],
    ['paths: ["src/[a/b]"]', 'square brackets'],
    ['paths: ["[[:alpha:]]*"]', '[[:alpha:]]'],
    ['paths: ["src/{a,b"]', 'without its other half'],
    ['paths: ["src/a,b}"]', 'without its other half'],
    ['paths: ["v{1..3}"]', 'range in braces'],
    ['paths: ["src/+(a|b).ts"]', 'round brackets'],
    ['paths: ["src/!(a).ts"]', 'round brackets'],
    ['paths: [""]', 'must not be empty'],
    ['paths: ["~/src/**"]', '`~`'],
    ['paths: ["../other/**"]', '`..`'],
    ["paths: ['src\\']", 'backslash'],
    [`paths: ["${'{a,b}'.repeat(9)}"]`, 'more than 200'],
    ['trigger_tools: ["mcp__[ab]__x"]', 'no tool has such a sign'],
    ['trigger_tools: ["!Edit"]', 'no tool has such a sign'],
    ['trigger_tools: [{tool: "Edi?"}]', 'no tool has such a sign'],
    ['trigger_tools: [""]', 'must not be empty'],
    ['trigger_tools: ["mcp__{a"]', 'without its other half'],
    ['{type: guard, guard_type: protected_branch, protected_branches: ["!main"]}', 'begins with `!`'],
    ['evidence: {dirs: ["docs/**"]}', 'takes no `*`'],
  ])('%s', (keys, words) => {
    const flow = keys.startsWith('{') ? keys.slice(1, -1).replaceAll(/, (?=\w+:)/g, '\n    ') : keys;
    const told = printed(read(flow));
    expect(told).toContain(words);
    expect(told).toMatch(/^\.holdpoint\/config\.yaml:\d+:\d\d: error: `\w+/);
    expect(names(flow)).toEqual(['other']);
  });
});

describe('a glob that means something is taken', () => {
  test.each([
    'paths: ["src/[abc]*.ts", "[!a]", "a/{b,{c,d}}/**", "(group)/x", "{one}", "/src/**", "src/"]',
    "paths: ['app/\\[id\\]/page.tsx', '\\!keep', 'a\\*b', '\\{a,b\\}']",
    'trigger_tools: ["mcp__{github,gitlab}__*", "*", {tool: Bash, command_pattern: "git [push]"}]',
  ])('%s', (keys) => {
    expect(printed(read(keys))).toBe('');
    expect(names(keys)).toEqual(['other', 'plan']);
  });

  test('with alternatives, as each of them', () => {
    const config = read('trigger_tools: ["mcp__{a,b}__*"]').guards[0]
      ?.config as unknown as RequirementsConfig;
    expect(config.requirements[1]?.triggers).toEqual([
      { kind: 'tool', tool: 'mcp__a__*' },
      { kind: 'tool', tool: 'mcp__b__*' },
    ]);
  });
});
