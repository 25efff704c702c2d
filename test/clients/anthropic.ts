import type { StartModel } from './model-server';
import { startModel } from './scripted-model';

/** Anthropic's messages API, for the clients that can be told to ask it. */
export const anthropic: StartModel = (answer) => startModel(({ news }) => answer(news));
