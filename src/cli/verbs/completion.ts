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
    'holdpoint completion bash|zsh|fish',
    '',
    '  bash   echo \'eval "$(holdpoint completion bash)"\' >> ~/.bashrc',
    '  zsh    echo \'eval "$(holdpoint completion zsh)"\' >> ~/.zshrc, behind compinit',
    '  fish   holdpoint completion fish > ~/.config/fish/completions/holdpoint.fish',
  ].join('\n'),
  async run([what = '', ...others], context) {
    const { out } = context;
    // What the scripts ask while somebody is typing: no word on standard error, whatever is wrong.
    if (what === 'requirements') {
      for (const name of requirementNames(context)) out.line(name);
      return 0;
    }
    const script = SCRIPTS.get(what);
    if (script === undefined || others.length > 0) {
      out.error(`holdpoint completion: name one shell: ${[...SCRIPTS.keys()].join(', ')}.`);
      return 2;
    }
    const tree = await commandTree('holdpoint', '', VERBS);
    out.line(script(tree).trimEnd());
    return 0;
  },
};
