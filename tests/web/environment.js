// SPDX-License-Identifier: MIT
// Linked into the tests that Node runs: emscripten's programs have an environment of their own, and take Node's here.
Module["preRun"] = () => Object.assign(ENV, process.env);
