// The chunk for the start and end of a session, in one because each start needs all of it.
export { protectionAtStart } from '../cli/status/protection';
export { registerUnconfiguredSession, watchSession } from '../core/session-watch';
export * as requirements from '../guards/requirements/session';
