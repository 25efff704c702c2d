import { type Cli, command, group } from '../command';

/** `holdpoint rules`. */
export function rules(): Cli {
  return group('rules', 'Rules of your own: write one, test it.', [
    command('new', 'Write a rule of your own with its test, to start from.')
      .usage('NAME [options]')
      .argument('[NAME]', 'its name: lower-case letters, digits and dashes')
      .json()
      .runs(async () => (await import('../rules/new')).newRule),
    command('test', 'Run the tests of the rules in .holdpoint/rules.')
      .usage('[NAME...]')
      .argument('[NAME...]', 'only of these rules')
      .runs(async () => (await import('../rules/test')).testRules),
  ]);
}
