import { HOST_NAMES, type HostName } from '../../core/host-name';
import { setupOf } from '../../hosts/setup-table';
import type { Output } from '../ui/output';
import { type Chosen, choose, chooseSeveral } from '../ui/prompts';
import { PRESET_NAMES, PRESETS, type PresetName } from './config-text';
import type { Choice, InitPlan, Situation } from './plan';
import { showDiff, showPlan } from './report';

/** What the flags say; a person may be asked for the rest. */
export interface InitOptions {
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly install: boolean;
  readonly json: boolean;
  /** Empty where those in use are meant. */
  readonly hosts: readonly HostName[];
  readonly preset: PresetName | undefined;
}

/** What is done where nobody is asked. */
export function standardChoice({ checks, hosts }: Situation, options: InitOptions): Choice {
  return {
    preset: options.preset ?? 'standard',
    hosts,
    checks: checks.filter(({ on }) => on).map(({ name }) => name),
    install: options.install,
  };
}

/** Asks a person for what flags have not said and what is not plain from the project. */
export async function askChoice(situation: Situation, options: InitOptions): Promise<Chosen<Choice>> {
  const standard = standardChoice(situation, options);
  const hosts = await askHosts(situation, options);
  if (hosts.kind !== 'chosen') return hosts;
  const withHosts = { ...standard, hosts: hosts.value };
  if (situation.hasConfig) return { kind: 'chosen', value: withHosts };
  const preset = await askPreset(situation, options);
  if (preset.kind !== 'chosen') return preset;
  const checks = await askChecks(situation, preset.value, standard.checks);
  if (checks.kind !== 'chosen') return checks;
  return { kind: 'chosen', value: { ...withHosts, preset: preset.value, checks: checks.value } };
}

/** Where exactly one host was seen there is nothing to ask. */
async function askHosts(
  { hosts, sawHost }: Situation,
  options: InitOptions,
): Promise<Chosen<readonly HostName[]>> {
  const isPlain = !options.install || options.hosts.length > 0 || (sawHost && hosts.length === 1);
  if (isPlain) return { kind: 'chosen', value: hosts };
  const choices = HOST_NAMES.flatMap((value) => {
    const setup = setupOf(value);
    return setup?.scopes.includes('project') === true ? [{ value, label: setup.title }] : [];
  });
  const picked = await chooseSeveral('Which agents shall be held? (space picks)', choices, hosts);
  if (picked.kind !== 'chosen') return picked;
  return { kind: 'chosen', value: HOST_NAMES.filter((name) => picked.value.includes(name)) };
}

async function askPreset({ taken }: Situation, { preset }: InitOptions): Promise<Chosen<PresetName>> {
  if (preset !== undefined || taken.some(({ section }) => section === 'requirements'))
    return { kind: 'chosen', value: preset ?? 'standard' };
  const choices = PRESET_NAMES.map((value) => ({ value, label: value, hint: PRESETS[value].summary }));
  const chosen = await choose('What shall the config begin with?', choices);
  if (chosen.kind !== 'chosen') return chosen;
  return { kind: 'chosen', value: PRESET_NAMES.find((name) => name === chosen.value) ?? 'standard' };
}

async function askChecks(
  { checks, taken }: Situation,
  preset: PresetName,
  standard: readonly string[],
): Promise<Chosen<readonly string[]>> {
  const isPlain =
    checks.length === 0 || !PRESETS[preset].checks || taken.some(({ section }) => section === 'gates');
  if (isPlain) return { kind: 'chosen', value: standard };
  const choices = checks.map(({ name, command, source }) => ({
    value: name,
    label: `${name}: ${command}`,
    hint: source,
  }));
  return chooseSeveral('Which checks shall hold the end of a turn? (space picks)', choices, standard);
}

/** Shows what is about to be written, in as much detail as the person wants, and asks. */
export async function isAgreed(plan: InitPlan, out: Output): Promise<boolean> {
  showPlan(plan, false, out);
  const [yes, more, no] = [
    { value: 'yes', label: 'Yes' },
    { value: 'more', label: 'Show every line of the settings first' },
    { value: 'no', label: 'No, leave everything as it is' },
  ] as const;
  const hasMore = plan.files.some(({ kind }) => kind === 'settings');
  let answer = await choose('Write this?', hasMore ? [yes, more, no] : [yes, no]);
  if (answer.kind === 'chosen' && answer.value === 'more') {
    for (const file of plan.files) showDiff(file, out);
    answer = await choose('That is all of it. Write it?', [yes, no]);
  }
  return answer.kind === 'chosen' && answer.value === 'yes';
}
