# Starts the hook. The line of hooks.json sources this file, so that no further shell starts.
# Whatever is missing ends with 1, never with 2: an error of ours must not hold anybody.
set -- --host claude-code
# `holdpoint install` leaves a launch file that finds its node also where the PATH has none.
if [ -r "$HOME/.config/holdpoint/launch" ]; then
  . "$HOME/.config/holdpoint/launch"
fi
# A clone has the product beside this folder after `npm run build`.
if [ -r "$CLAUDE_PLUGIN_ROOT/../dist/hook.cjs" ] && command -v node >/dev/null 2>&1; then
  export HOLDPOINT_NODE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"
  NODE_EXTRA_CA_CERTS= exec node "$CLAUDE_PLUGIN_ROOT/../dist/hook.cjs" "$@"
fi
# A copy of this folder in a cache has nothing beside it.
if command -v holdpoint >/dev/null 2>&1; then
  exec holdpoint hook "$@"
fi
echo 'holdpoint: the plugin finds neither a build beside it nor the command; run `npm link` in a clone of Holdpoint.' >&2
exit 1
