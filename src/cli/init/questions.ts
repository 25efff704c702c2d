import { HOST_NAMES, type HostName } from '../../core/host-name';
import { setupOf } from '../../hosts/setup-table';
import { type Chosen, choose, chooseSeveral } from '../ui/prompts';
import * as say from './messages';
import type { InitOptions } from './options';
import type { Choice } from './plan';
import { PRESET_NAMES, PRESETS, type PresetName } from './presets';
import type { Situation } from './situation';

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
  if (situation.hasConfig) return { kind: 'chosen', value: { ...standard, hosts: hosts.value } };
  const preset = await askPreset(situation, options);
  if (preset.kind !== 'chosen') return preset;
  const checks = await askChecks(situation, preset.value);
  if (checks.kind !== 'chosen') return checks;
  return {
    kind: 'chosen',
    value: { ...standard, hosts: hosts.value, preset: preset.value, checks: checks.value },
  };
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
  const picked = await chooseSeveral(say.ASK_HOSTS, choices, hosts);
  if (picked.kind !== 'chosen') return picked;
  return { kind: 'chosen', value: HOST_NAMES.filter((name) => picked.value.includes(name)) };
}

async function askPreset({ taken }: Situation, { preset }: InitOptions): Promise<Chosen<PresetName>> {
  if (preset !== undefined || taken.some(({ section }) => section === 'requirements'))
    return { kind: 'chosen', value: preset ?? 'standard' };
  const choices = PRESET_NAMES.map((value) => ({ value, label: value, hint: PRESETS[value].summary }));
  const chosen = await choose(say.ASK_PRESET, choices);
  if (chosen.kind !== 'chosen') return chosen;
  return { kind: 'chosen', value: PRESET_NAMES.find((name) => name === chosen.value) ?? 'standard' };
}

async function askChecks(
  { checks, taken }: Situation,
  preset: PresetName,
): Promise<Chosen<readonly string[]>> {
  const standard = checks.filter(({ on }) => on).map(({ name }) => name);
  const isPlain =
    checks.length === 0 || !PRESETS[preset].checks || taken.some(({ section }) => section === 'gates');
  if (isPlain) return { kind: 'chosen', value: standard };
  const choices = checks.map(({ name, command, source }) => ({
    value: name,
    label: `${name}: ${command}`,
    hint: source,
  }));
  return chooseSeveral(say.ASK_CHECKS, choices, standard);
}
