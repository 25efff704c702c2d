import { parseArgs } from 'node:util';
import { bashScript } from '../completion/bash';
import { commandTree } from '../completion/command-tree';
import { fishScript } from '../completion/fish';
import { requirementNames } from '../completion/requirement-names';
import { zshScript } from '../completion/zsh';
import type { Verb } from '../verb';
import { VERBS } from '../verbs';

const SCRIPTS = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
]);

export const verb: Verb = {
  usage: [
    'holdpoint completion bash|zsh|fish [--json]',
    '',
    '  bash   echo \'eval "$(holdpoint completion bash)"\' >> ~/.bashrc',
    '  zsh    echo \'eval "$(holdpoint completion zsh)"\' >> ~/.zshrc, behind compinit',
    '  fish   holdpoint completion fish > ~/.config/fish/completions/holdpoint.fish',
  ].join('\n'),
  async run(args, context) {
    const { out } = context;
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false } },
    });
    const [shell = '', ...others] = positionals;
    // What the scripts ask while somebody is typing: no word on standard error, whatever is wrong.
    if (shell === 'requirements') {
      for (const name of requirementNames(context)) out.line(name);
      return 0;
    }
    const script = SCRIPTS.get(shell);
    if (script === undefined || others.length > 0) {
      out.error(`holdpoint completion: name one shell: ${[...SCRIPTS.keys()].join(', ')}.`);
      return 2;
    }
    const text = script(await commandTree('holdpoint', '', VERBS)).trimEnd();
    if (values.json) out.json({ shell, script: text });
    else out.line(text);
    return 0;
  },
};
