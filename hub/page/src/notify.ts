import { signal } from '@preact/signals';
import { go, say } from './state';
import type { Waiting } from './types';

const KEY = 'holdpoint.notify';

export type Notifying = 'on' | 'off' | 'refused' | 'impossible';

export const notifying = signal<Notifying>(read());

function read(): Notifying {
  if (!('Notification' in globalThis)) return 'impossible';
  if (Notification.permission === 'denied') return 'refused';
  return Notification.permission === 'granted' && localStorage.getItem(KEY) === 'on' ? 'on' : 'off';
}

export async function switchNotifications(): Promise<void> {
  if (notifying.value === 'on') {
    localStorage.removeItem(KEY);
    notifying.value = 'off';
    return;
  }
  await Notification.requestPermission();
  localStorage.setItem(KEY, 'on');
  notifying.value = read();
  if (notifying.value === 'refused')
    say('The browser refuses notifications for this address. Allow them in its site settings.', true);
}

export function notify({ id, rule, project, branch }: Waiting): void {
  if (notifying.value !== 'on' || (!document.hidden && document.hasFocus())) return;
  try {
    const shown = new Notification(`${rule} waits for you`, {
      body: [project.name, branch && `branch ${branch}`].filter(Boolean).join(', '),
      tag: id,
      icon: '/icon.svg',
    });
    shown.onclick = () => {
      focus();
      go('waiting');
      shown.close();
    };
  } catch {
    // Phones only show notifications through a service worker, which this page does not have.
    notifying.value = 'impossible';
  }
}
