import { parseArgs } from 'node:util';
import { asBlock } from '../../config/write-yaml';
import { compileConfig } from '../../core/compile-config';
import { sentenceOf } from '../../core/messages';
import type { Requirement } from '../../guards/requirements/config';
import { NO_PROJECT } from '../messages';
import { type OpenProject, openProject } from '../project';
import { printable, table } from '../ui/output';
import type { Context, ExitCode, Verb } from '../verb';
import { seedFileIn, writeConfigFile } from './config-file';
import * as say from './config-messages';
import { type MessageFacts, messageFacts } from './message-facts';
import { agentMayNot } from './messages';
import { refuse } from './refuse';
import { reservedForPeople } from './reserved';

export const verb: Verb = {
  usage: 'req messages [validate|list] [--fix] [--json]',
  run(args, context) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { fix: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
    });
    const [what = 'validate', ...more] = positionals;
    if (more.length > 0 || (what !== 'validate' && what !== 'list'))
      return refuse(context, say.unknownMessagesCommand(what), 2);
    const project = openProject(context);
    if (project === undefined) return refuse(context, NO_PROJECT, 1);
    const facts = messageFacts(compileConfig(project.root, project.home));
    if (what === 'list') return list(facts, values.json, context);
    return values.fix ? fix(facts, values.json, project, context) : validate(facts, [], values.json, context);
  },
};

function list({ files }: MessageFacts, json: boolean, { out }: Context): ExitCode {
  if (json) out.json({ files });
  else if (files.length === 0) out.line(say.NO_MESSAGE_FILES);
  else for (const line of table(files.map((one) => [one.requirement, one.use, one.file]))) out.line(line);
  return 0;
}

function validate(
  facts: MessageFacts,
  written: readonly string[],
  json: boolean,
  { out }: Context,
): ExitCode {
  const { files, without, problems, hasErrors } = facts;
  const open = without.map(({ name }) => name).filter((name) => !written.includes(messagePath(name)));
  if (json) {
    out.json({ ok: !hasErrors, files, without: open, written, problems });
    return hasErrors ? 1 : 0;
  }
  for (const problem of problems) out.error(problem);
  for (const one of files.filter(({ use }) => use === 'no such requirement'))
    out.error(say.nobodysMessages(one.file, one.requirement, one.near));
  for (const one of files.filter(({ unused }) => unused.length > 0))
    out.line(printable(say.unusedTexts(one.file, one.unused)));
  for (const file of written) out.line(printable(say.createdFile(file)));
  if (open.length > 0) out.line(printable(say.builtInWords(open)));
  if (!hasErrors) out.line(out.style('green', say.messagesValid(files.length)));
  return hasErrors ? 1 : 0;
}

/** Writes a file with words to begin with for each requirement that has none. */
function fix(facts: MessageFacts, json: boolean, project: OpenProject, context: Context): ExitCode {
  const reserved = reservedForPeople(project, context);
  if (reserved.length > 0) return refuse(context, agentMayNot(reserved), 1);
  const written: string[] = [];
  for (const requirement of facts.without.filter(({ name }) => isFileName(name))) {
    const path = messagePath(requirement.name);
    const done = writeConfigFile(seedFileIn(project.root, path), firstWords(requirement));
    if (!done.ok) return refuse(context, say.nothingWritten(sentenceOf(done.failure)), 1);
    written.push(path);
  }
  return validate(facts, written, json, context);
}

function messagePath(name: string): string {
  return `.claude/messages/${name}.yaml`;
}

/** A requirement may have any name; a file may not, and one that begins with `_` is no requirement's. */
function isFileName(name: string): boolean {
  return /^[0-9A-Za-z][\w.-]*$/.test(name);
}

function firstWords({ name, description, skill }: Requirement): string {
  const lines = [
    `## Blocked: ${name}`,
    description ?? 'This has to be done before the work goes on.',
    ...(skill === undefined ? [] : ['**Execute**: `/{auto_resolve_skill}`']),
  ];
  const words = { blocking_message: `${lines.join('\n')}\n`, short_message: `${name} is still open.` };
  return [`# What an agent reads when ${name} holds it.`, ...asBlock(words, '1.1'), ''].join('\n');
}
