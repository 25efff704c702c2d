import { type Command, defineRule, type Event, hold, type RuleContext } from '../../../api';
import { isIgnoredBy } from '../../../core/text';
import { inProject, isTest } from './files';
import { type FoundSecret, secretsIn } from './secret-patterns';
import { hereDocuments } from './shell-text';

/** A longer text is data, and searching it would take too long. */
const LONGEST = 1024 * 1024;
const EXAMPLE =
  /(?:^|\/)(?:docs?|examples?|samples?|fixtures?|mocks?)\/|\.(?:md|mdx|rst|adoc|example|sample|template|dist|tmpl)$|\.(?:example|sample|template)\./i;
const PLAIN =
  /(?:^|\/)\.?(?:env|envrc|npmrc|netrc|pypirc)(?:\.[^/]*)?$|\.(?:env|ya?ml|ini|properties|cfg|conf|toml|tfvars|sh|bash|zsh)$/i;

/** Holds writes that contain a secret. The message has its kind and line, never the secret. */
export const noSecrets = defineRule({
  name: 'no-secrets',
  on: 'edit',
  description: 'No passwords, tokens or keys in what is written.',
  decide(event, ctx) {
    if (event.kind !== 'tool.before') return;
    const files = ctx.paths.flatMap((path) => inProject(path, ctx.root) ?? []);
    if (files.length > 0 && files.every((file) => isSecretFile(file, ctx))) return;
    const where = {
      isExample: files.length > 0 && files.every((file) => isTest(file) || EXAMPLE.test(file)),
      isPlain: event.call.op === 'shell' || files.some((file) => PLAIN.test(file)),
    };
    const before = replacedBy(event);
    for (const { text, what } of writtenBy(event, ctx)) {
      const [first] = secretsIn(text.slice(0, LONGEST), where).filter(
        ({ line }) => !isOld(text, line, before),
      );
      if (first !== undefined) return hold(sentence(first, what, files));
    }
    return;
  },
});

function sentence({ kind, line }: FoundSecret, what: string, files: readonly string[]): string {
  const target = files.length === 1 ? ` for ${files[0]}` : '';
  return `line ${line} of the ${what}${target} has ${kind}. Read it from the environment or a secret store, or use a placeholder such as \`<token>\`.`;
}

/** A text that is about to be written, and its name in messages. */
interface Written {
  readonly text: string;
  readonly what: string;
}

function writtenBy(event: Event, ctx: RuleContext): Written[] {
  if (event.kind !== 'tool.before') return [];
  const { newText, command, input, op } = event.call;
  if (newText !== undefined) return [{ text: newText, what: 'new text' }];
  if (command !== undefined)
    return [...hereDocuments(command), ...ctx.commands.flatMap(typedBy)].map((text) => ({
      text,
      what: 'text in the command',
    }));
  return op === 'delete' ? [] : textsIn(input).map((text) => ({ text, what: 'new text' }));
}

const TYPING = /^(?:echo|printf|sed|perl|awk|tee|jq|yq|python[\d.]*|node|ruby|php)$/;

/** The text that a command may write to a file; `curl` and others send theirs elsewhere. */
function typedBy({ program, arguments: args }: Command): string[] {
  return TYPING.test(program) ? [args.join(' ')] : [];
}

/** The texts in the input of an MCP tool, without those that it only replaces or searches for. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 8) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    /^(?:old|search|find|path)/i.test(key) ? [] : textsIn(part, depth + 1),
  );
}

/** The text that an edit replaces: what was there before is no new secret. */
function replacedBy(event: Event): string {
  if (event.kind !== 'tool.before') return '';
  const { input } = event.call;
  const edits = Array.isArray(input['edits']) ? input['edits'] : [];
  const parts = [input, ...edits].map((edit) =>
    typeof edit === 'object' && edit !== null && !Array.isArray(edit) ? edit['old_string'] : undefined,
  );
  return parts.filter((part) => typeof part === 'string').join('\n');
}

function isOld(text: string, line: number, before: string): boolean {
  const [content = ''] = text.split('\n').slice(line - 1, line);
  return content.trim() !== '' && before.includes(content.trim());
}

/** Secrets belong in `.env` and similar files, as long as git ignores them. */
function isSecretFile(file: string, ctx: RuleContext): boolean {
  const name = file.split('/').at(-1) ?? file;
  if (!/^\.env(?:\..+)?$|^\.envrc$/.test(name) || EXAMPLE.test(file)) return false;
  return isIgnoredBy(ctx.read('.gitignore') ?? '', file);
}
