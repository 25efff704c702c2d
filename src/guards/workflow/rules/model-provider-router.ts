import type { Rule } from '../finding';
import { own } from '../look-up';
import type { Routes } from '../model';

/** Names a model for the tool; wins over every route. */
export const MODEL_VARIABLE = 'ISDLC_MODEL_OVERRIDE';

/** Gives a delegation the model that its agent or phase is routed to. A model that was asked for stays. */
export const modelProviderRouter: Rule = ({ event, call, model, delegation, phase, env }) => {
  if (event.kind !== 'tool.before' || call?.op !== 'agent' || call.input['model'] !== undefined)
    return undefined;
  const agent = 'agent' in delegation ? delegation.agent?.name : undefined;
  const override = env[MODEL_VARIABLE] ?? '';
  const chosen = override === '' ? model.routes && routed(model.routes, agent, phase) : override;
  if (chosen === undefined) return undefined;
  return {
    weight: 'warn',
    text: '',
    fact: `${agent ?? 'the delegation'} goes to ${chosen}`,
    input: { ...call.input, model: chosen },
  };
};

function routed(routes: Routes, agent: string | undefined, phase: string | undefined): string | undefined {
  const byAgent = agent === undefined ? undefined : own(routes.byAgent, agent);
  const byPhase = phase === undefined ? undefined : own(routes.byPhase, phase);
  return byAgent ?? byPhase ?? routes.otherwise;
}
