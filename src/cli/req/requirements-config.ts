import type { CompiledConfig } from '../../core/config-cache';
import type { RequirementsConfig } from '../../guards/requirements/config';

/** The requirements' part of a compiled config, where it has one. */
export function requirementsConfig(config: CompiledConfig | undefined): RequirementsConfig | undefined {
  const index = config?.head.guards.findIndex(({ name }) => name === 'requirements') ?? -1;
  return config === undefined || index < 0 ? undefined : (config.configOf(index) as RequirementsConfig);
}
