/** A passkey in software, with a P-256 key: what a browser and its authenticator send. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

type Cbor = number | string | Buffer | Map<Cbor, Cbor>;

/** Only what an attestation needs. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([
    head(5, value.size),
    ...[...value].flatMap(([key, part]) => [cbor(key), cbor(part)]),
  ]);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}

export class Authenticator {
  readonly id = randomBytes(32);
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  counter = 0;
  /** Whether it says that it has checked who uses it. */
  verifiesUser = true;

  register(options: { challenge: string; rp: { id?: string } }, origin: string) {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const key = new Map<Cbor, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    const credential = [Buffer.alloc(16), Buffer.from([0, this.id.length]), this.id, cbor(key)];
    const data = Buffer.concat([this.#data(options.rp.id ?? '', 0x40), ...credential]);
    const object = new Map<Cbor, Cbor>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', data],
    ]);
    return this.#response({
      clientDataJSON: client('webauthn.create', options.challenge, origin).toString('base64url'),
      attestationObject: cbor(object).toString('base64url'),
      transports: ['internal'],
    });
  }

  signIn(options: { challenge: string; rpId?: string }, origin: string) {
    this.counter += 1;
    const data = this.#data(options.rpId ?? '', 0);
    const clientData = client('webauthn.get', options.challenge, origin);
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), this.#keys.privateKey);
    return this.#response({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }

  #data(party: string, extra: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(party), Buffer.from([1 | (this.verifiesUser ? 4 : 0) | extra]), counter]);
  }

  #response<T>(response: T) {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }
}

function client(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}
