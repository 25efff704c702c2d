import { Hono } from 'hono';
import type { Hub } from '../hub.js';

export function routes(_hub: Hub): Hono {
  return new Hono();
}
