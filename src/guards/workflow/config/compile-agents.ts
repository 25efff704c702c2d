import { plainAgentName } from '../agents';
import type { Agent } from '../model';
import { type PhaseAliases, standsFor } from './compile-aliases';
import { type InputLayer, reportUnknown } from './input-layer';
import * as say from './messages';
import type { AgentInput } from './schema';

interface Drafted {
  readonly name: string;
  readonly input: AgentInput;
  readonly layer: InputLayer;
}

/** All agents, those of higher layers first. `known` are the phases that there are. */
export function compileAgents(
  layers: readonly InputLayer[],
  aliases: PhaseAliases,
  known: ReadonlySet<string>,
): readonly Agent[] {
  const drafted = draftsOf(layers);
  const agents = drafted.flatMap((draft) => agentOf(draft, aliases, known));
  return withoutTakenAliases(agents, drafted);
}

function draftsOf(layers: readonly InputLayer[]): readonly Drafted[] {
  const drafts = new Map<string, Drafted>();
  for (const layer of layers.toReversed()) {
    for (const [written, input] of Object.entries(layer.input.agents ?? {})) {
      const name = plainAgentName(written);
      const above = drafts.get(name);
      drafts.set(name, { name, layer: above?.layer ?? layer, input: { ...input, ...above?.input } });
    }
  }
  return [...drafts.values()];
}

function agentOf(
  { name, input, layer }: Drafted,
  aliases: PhaseAliases,
  known: ReadonlySet<string>,
): Agent[] {
  const { kind = 'phase', phases = [], aliases: given = [] } = input;
  if (kind === 'generic') return [];
  if ((kind === 'phase' || kind === 'sub') && phases.length === 0) {
    layer.report(['agents', name], say.worksNowhere(name));
    return [];
  }
  for (const [index, phase] of phases.entries()) {
    if (!layer.written || standsFor(aliases, phase).some((one) => known.has(one))) continue;
    const trouble = { name: phase, message: say.noSuchPhase(phase) };
    reportUnknown(layer, ['agents', name, 'phases', String(index)], trouble, known);
  }
  return [{ name, kind, phases, aliases: given.map(plainAgentName) }];
}

/** An alias means one agent: a name goes before it, and so does the same alias of an agent before. */
function withoutTakenAliases(agents: readonly Agent[], drafted: readonly Drafted[]): readonly Agent[] {
  const taken = new Map(agents.map(({ name }) => [name, name]));
  return agents.map((agent) => {
    const layer = drafted.find(({ name }) => name === agent.name)?.layer;
    const aliases = agent.aliases.filter((alias) => {
      const other = taken.get(alias) ?? agent.name;
      taken.set(alias, other);
      if (other === agent.name) return alias !== agent.name;
      if (layer?.written) {
        layer.report(['agents', agent.name, 'aliases'], say.aliasTaken(agent.name, alias, other));
      }
      return false;
    });
    return { ...agent, aliases };
  });
}
