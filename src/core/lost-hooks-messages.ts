const off = 'Holdpoint would be off';

export const STAY_ON =
  'This session goes on with the settings that it has. Whoever wants Holdpoint off runs `holdpoint uninstall`; `holdpoint install` puts its entries back.';

export function goneSettings(file: string): string {
  return `${off}: ${file}, which calls it, is gone or cannot be read.`;
}

export function brokenSettings(file: string): string {
  return `${off}: ${file}, which calls it, is no longer valid JSON, and the host drops such a file as a whole.`;
}

export function disabledHooks(file: string): string {
  return `${off}: ${file} now says \`disableAllHooks\`.`;
}

export function lostEntries(file: string, events: readonly string[]): string {
  return `${off}: ${file} no longer calls it at ${events.join(', ')}.`;
}
