import { expect, test } from 'vitest';
import { COMMAND_TEXTS } from '../../src/hosts/command-texts';
import { commandFile as asToml } from '../../src/hosts/gemini/command-file';
import { commandFile as asMarkdown } from '../../src/hosts/opencode/command-file';

test.each(COMMAND_TEXTS)('$name can be written as TOML without escapes, and as Markdown', (command) => {
  const toml = asToml(command);
  expect(toml).toMatch(/^description = '[^'\n]+'\nprompt = '''\n.+\n'''\n$/s);
  expect(toml.split("'''")).toHaveLength(3);
  expect(asMarkdown(command)).toMatch(/^---\ndescription: "[^"\\\n]+"\n---\n\n\S/);
});

test('what was typed and what a line prints are put in as each host has it', () => {
  const command = { name: 'x', description: 'X', shows: 'holdpoint status', takes: 'Typed:', prompt: 'Go.' };
  expect(asToml(command)).toContain('!{holdpoint status}\n\nTyped:\n\n{{args}}\n\nGo.');
  expect(asMarkdown(command)).toContain('!`holdpoint status`\n\nTyped:\n\n$ARGUMENTS\n\nGo.');
});
