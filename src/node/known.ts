/**
 * The versions of Node whose own functions for files and scripts were read and found to call the binding in the way
 * that we do. Every other version is used by its public functions, which costs an event about a millisecond. One text,
 * since a list of them would take longer to make than to look through.
 */
export const KNOWN_NODES =
  ' v20.17.0 v20.18.0 v20.18.1 v20.18.2 v20.18.3 v20.19.0 v20.19.1 v20.19.2 v20.19.3 v20.19.4 v20.19.5 ' +
  'v20.19.6 v20.20.0 v20.20.1 v20.20.2 ' +
  'v22.12.0 v22.13.0 v22.13.1 v22.14.0 v22.15.0 v22.15.1 v22.16.0 v22.17.0 v22.17.1 v22.18.0 v22.19.0 ' +
  'v22.20.0 v22.21.0 v22.21.1 v22.22.0 v22.22.1 v22.22.2 v22.22.3 v22.23.0 v22.23.1 v22.23.2 v22.23.3 ' +
  'v24.0.0 v24.0.1 v24.0.2 v24.1.0 v24.2.0 v24.3.0 v24.4.0 v24.4.1 v24.5.0 v24.6.0 v24.7.0 v24.8.0 ' +
  'v24.9.0 v24.10.0 v24.11.0 v24.11.1 v24.12.0 v24.13.0 v24.13.1 v24.14.0 v24.14.1 v24.15.0 v24.16.0 ' +
  'v24.17.0 v24.18.0 v24.18.1 v24.19.0 v24.20.0 v24.21.0 ';

export function isKnownNode(version: string): boolean {
  return KNOWN_NODES.includes(` ${version} `);
}
