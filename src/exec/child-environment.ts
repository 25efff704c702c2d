type Env = Readonly<Record<string, string | undefined>>;

const CERTIFICATES = 'NODE_EXTRA_CA_CERTS';
/** Where a host's line for us keeps what it takes from our own start: reading certificates would be the slowest part. */
const KEPT_CERTIFICATES = 'HOLDPOINT_NODE_EXTRA_CA_CERTS';

/** The environment of what we start: ours, with what was only taken away for our sake given back. */
export function childEnvironment(env: Env): Env {
  if (env[CERTIFICATES]) return env;
  const { [CERTIFICATES]: _emptied, ...rest } = env;
  const kept = env[KEPT_CERTIFICATES];
  return kept ? { ...rest, [CERTIFICATES]: kept } : rest;
}
