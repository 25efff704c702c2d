# Starts the hook. The line of hooks.json sources this file, so that no second shell starts.
# A failure exits with 1, never with 2: an internal error must not hold anything.
set -- --host claude-code
# `holdpoint install` writes a launch file that finds node even if it is not on the PATH.
if [ -r "$HOME/.config/holdpoint/launch" ]; then
  . "$HOME/.config/holdpoint/launch"
fi
# In a clone, after `npm run build`.
if [ -r "$CLAUDE_PLUGIN_ROOT/../dist/hook.cjs" ] && command -v node >/dev/null 2>&1; then
  export HOLDPOINT_NODE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"
  NODE_EXTRA_CA_CERTS= exec node "$CLAUDE_PLUGIN_ROOT/../dist/hook.cjs" "$@"
fi
# A copy of this folder in a cache.
if command -v holdpoint >/dev/null 2>&1; then
  exec holdpoint hook "$@"
fi
echo 'holdpoint: not found, so nothing is held. In your clone of Holdpoint, run: npm ci && npm run build && npm link' >&2
exit 1
