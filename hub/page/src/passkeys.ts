import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { ApiError, api } from './api';

/** Browsers offer passkeys only on localhost or over HTTPS, and not for IP addresses. */
export const canUsePasskeys =
  isSecureContext && 'PublicKeyCredential' in globalThis && !/^[\d.]+$|:/.test(location.hostname);

interface Begun<Options> {
  readonly id: string;
  readonly options: Options;
}

/** For a signed-in person, or one with a setup code. */
export async function registerPasskey(who: { code?: string; name?: string }): Promise<void> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const { id, options } = await api.passkey<Begun<PublicKeyCredentialCreationOptionsJSON>>(
    'register/begin',
    who,
  );
  const response = await asked(() => startRegistration({ optionsJSON: options }));
  await api.passkey('register/finish', { ...who, id, response });
}

export async function signInByPasskey(): Promise<void> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const { id, options } = await api.passkey<Begun<PublicKeyCredentialRequestOptionsJSON>>('login/begin', {});
  const response = await asked(() => startAuthentication({ optionsJSON: options }));
  await api.passkey('login/finish', { id, response });
}

const REASONS: Readonly<Record<string, string>> = {
  NotAllowedError: 'The browser’s question was dismissed, or took too long. Try again.',
  InvalidStateError: 'This device already has a passkey for this hub. Sign in with it.',
  SecurityError:
    'Passkeys do not work at this address. Open the hub by its own name over HTTPS, or on localhost.',
};

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    const name = thrown instanceof Error ? thrown.name : '';
    throw new ApiError(
      0,
      'passkey',
      REASONS[name] ?? 'The passkey did not work. Try again, or use a passphrase.',
    );
  }
}
