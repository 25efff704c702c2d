import { plainAgentName } from '../agents';
import { AGENTS } from './preset/agents';
import { presetPhases } from './preset/phases';
import type { AgentInput, WorkflowInput } from './schema';
import type { SeedMapping } from './seed-mapping';

/** `skills-manifest.json` as a section: who owns which phase. */
export function fromManifest(file: SeedMapping): Required<Pick<WorkflowInput, 'agents'>> {
  const ownership = file.mapping('ownership');
  const agents = (ownership?.names() ?? []).flatMap((written): (readonly [string, AgentInput])[] => {
    const name = plainAgentName(written);
    const phase = ownership?.mapping(written)?.text('phase');
    return phase === undefined ? [] : [[name, agentOf(name, phase)]];
  });
  return { agents: Object.fromEntries(agents) };
}

/** The manifest gives an agent one word; what we know of the agent besides stays as far as it agrees. */
function agentOf(name: string, phase: string): AgentInput {
  const known = Object.hasOwn(AGENTS, name) ? AGENTS[name] : undefined;
  if (phase === 'all') return { kind: 'orchestrator', phases: [] };
  if (phase === 'setup') return { kind: 'setup', phases: known?.phases ?? [] };
  const more = known?.phases ?? [];
  const agrees = presetPhases(phase).some((one) => more.includes(one));
  const kind = known?.kind === 'sub' ? 'sub' : 'phase';
  return { kind, phases: agrees ? [...new Set([phase, ...more])] : [phase] };
}
