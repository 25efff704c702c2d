import type { JsonObject } from '../../core/json';
import { CATALOGUE, PRESET_NAMES, PRESETS, pickedConfig } from '../../guards/requirements/presets';
import { type Chosen, choose, chooseSeveral, confirm } from '../ui/prompts';

/** A config to write, and what to call it. */
export interface Beginning {
  readonly label: string;
  readonly config: JsonObject;
}

const WAYS = [
  { value: 'preset', label: 'Quick Preset', hint: 'one of five' },
  { value: 'custom', label: 'Custom Selection', hint: 'pick requirements one by one' },
  { value: 'manual', label: 'Manual', hint: 'an empty file to fill in' },
];

/** Asks a person how to begin, and at the end whether to do what `act` says. */
export async function askBeginning(act: string): Promise<Chosen<Beginning>> {
  const way = await choose('How do you want to begin?', WAYS);
  if (way.kind !== 'chosen') return way;
  const beginning = await askContent(way.value);
  if (beginning.kind !== 'chosen') return beginning;
  const sure = await confirm(`${act} (${beginning.value.label})?`);
  if (sure.kind !== 'chosen') return sure;
  return sure.value ? beginning : { kind: 'cancelled' };
}

async function askContent(way: string): Promise<Chosen<Beginning>> {
  if (way === 'manual') return { kind: 'chosen', value: presetBeginning('minimal') };
  if (way === 'custom') return askRequirements();
  const choices = PRESET_NAMES.map((name) => ({ value: name, label: name, hint: PRESETS[name].summary }));
  const chosen = await choose('Which preset?', choices);
  if (chosen.kind !== 'chosen') return chosen;
  const name = PRESET_NAMES.find((one) => one === chosen.value) ?? 'relaxed';
  return { kind: 'chosen', value: presetBeginning(name) };
}

async function askRequirements(): Promise<Chosen<Beginning>> {
  const choices = Object.entries(CATALOGUE).map(([name, { description }]) => {
    return { value: name, label: name, hint: description };
  });
  const picked = await chooseSeveral('Which requirements?', choices, ['commit_plan']);
  if (picked.kind !== 'chosen') return picked;
  return { kind: 'chosen', value: { label: 'custom selection', config: pickedConfig(picked.value) } };
}

export function presetBeginning(name: (typeof PRESET_NAMES)[number]): Beginning {
  return { label: `${name} preset`, config: PRESETS[name].config };
}
