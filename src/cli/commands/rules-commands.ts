import { type Cli, command, group } from '../command';

/** `holdpoint rules`: lists the rules if no subcommand is given. */
export function rules(): Cli {
  const list = async () => (await import('./rules')).list;
  const step = (name: 'promote' | 'demote', summary: string): Cli =>
    command(name, summary)
      .usage('NAME [options]')
      .argument('[NAME]', 'the rule')
      .runs(async () => (await import('./rules')).changeMode(name));
  const made = group(
    'rules',
    'List the rules of the project with their modes and figures, move them between modes, write your own.',
    [
      command('list', 'List the rules, their modes and figures.').runs(list),
      step('promote', 'Make a rule stricter, from shadow to warn to hold, if its figures allow.').option(
        '--force',
        'whatever its figures say; for people only',
      ),
      step('demote', 'Make a rule milder, from hold to warn to shadow. For people only.'),
      command('new', 'Write a rule of your own with its test, to start from.')
        .usage('NAME [options]')
        .argument('[NAME]', 'its name: lower-case letters, digits and dashes')
        .runs(async () => (await import('../rules/new')).newRule),
      command('test', 'Run the tests of the rules in .holdpoint/rules.')
        .usage('[NAME...]')
        .argument('[NAME...]', 'only of these rules')
        .runs(async () => (await import('../rules/new')).testRules),
    ],
  );
  const unknown = made.load;
  return made.runsPlainly(async () => async (context, options, words) => {
    const run = await (words.length === 0 ? list() : unknown());
    return run(context, options as never, words);
  });
}
