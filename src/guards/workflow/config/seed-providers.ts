import type { WorkflowInput } from './schema';
import type { SeedMapping } from './seed-mapping';

/** The one provider whose models a host's delegation can ask for by name. */
const PROVIDER = 'anthropic';

/**
 * `providers.yaml` as a section: only which model an agent or a phase gets. Other providers, keys,
 * addresses and health checks are none of a hook's business.
 */
export function fromProviders(file: SeedMapping): Pick<WorkflowInput, 'models'> {
  const short = shortNames(file);
  const chosen = file.text('active_mode');
  const agents = routesIn(file.mapping('agent_overrides'), short);
  const phases = chosen === 'hybrid' ? routesIn(file.mapping('phase_routing'), short) : {};
  const mode = chosen === undefined ? undefined : file.mapping('modes')?.mapping(chosen);
  const standard = mode?.text('default_provider')
    ? modelOf(mode.text('default_provider'), mode.text('default_model'), short)
    : routeOf(file.mapping('defaults'), short);
  return { models: { agents, phases, ...(standard !== undefined && { default: standard }) } };
}

/** A host takes `opus`, where the file may have the full id of a model. */
function shortNames(file: SeedMapping): ReadonlyMap<string, string> {
  const models = file.mapping('providers')?.mapping(PROVIDER)?.mappings('models') ?? [];
  return new Map(
    models.flatMap((model) => {
      const id = model.text('id');
      const alias = model.text('alias');
      return id === undefined || alias === undefined ? [] : [[id, alias] as const];
    }),
  );
}

function routesIn(
  mapping: SeedMapping | undefined,
  short: ReadonlyMap<string, string>,
): Record<string, string> {
  const routes = (mapping?.names() ?? []).flatMap((name): (readonly [string, string])[] => {
    const model = routeOf(mapping?.mapping(name), short);
    return model === undefined ? [] : [[name, model]];
  });
  return Object.fromEntries(routes);
}

function routeOf(route: SeedMapping | undefined, short: ReadonlyMap<string, string>): string | undefined {
  return route && modelOf(route.text('provider'), route.text('model'), short);
}

function modelOf(
  provider: string | undefined,
  model: string | undefined,
  short: ReadonlyMap<string, string>,
): string | undefined {
  if (model === undefined || (provider ?? PROVIDER) !== PROVIDER) return undefined;
  return short.get(model) ?? model;
}
