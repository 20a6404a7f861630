import type { SkillCommand } from '../sandboxed-command.ts';

/**
 * The command of a program that is started ahead. A Python script without options runs in
 * `launcher`; any other command is unchanged.
 */
export function launchedAhead(command: SkillCommand): SkillCommand {
  const [python, script, ...rest] = command.argv;
  const isPython = command.interpreter?.startsWith('python') === true;
  if (!isPython || script === undefined || script.startsWith('-') || rest.length > 0) return command;
  return { ...command, argv: [python, '-c', launcher, script] };
}

/**
 * Runs a script as Python does, and then skips the freeing of all objects and modules, which takes
 * most of a short call. It does so only if that frees nothing that a script could notice: no object
 * with a finalizer, callback of a weak reference, thread, replaced stream or extension module from
 * outside of the standard library. In every other case, and after an uncaught exception, Python shuts
 * down as usual. Another version of Python starts the script itself.
 */
const launcher = `def launch():
    import atexit, gc, os, sys, _thread
    from _frozen_importlib_external import SourceFileLoader
    from _weakref import ref
    from itertools import compress
    from types import BuiltinFunctionType, GeneratorType

    # These hold files or terminals, or may call any library.
    resources = {'_ctypes', '_curses', '_dbm', '_gdbm', '_interpreters', '_multiprocessing', '_posixshmem',
        '_sqlite3', '_tkinter', '_xxsubinterpreters', 'readline'}

    class Kinds(dict):
        """Whether an object of a type may do something when it is freed, or refers weakly to another."""
        def __missing__(self, kind):
            found = self[kind] = hasattr(kind, '__del__') or issubclass(kind, ref)
            return found

    def finalizers():
        objects = gc.get_objects()
        return [one for one in compress(objects, map(Kinds().__getitem__, map(type, objects))) if finalizes(one)]

    def finalizes(one):
        if not isinstance(one, ref):
            return type(one) is not GeneratorType or one.gi_suspended
        callback = one.__callback__
        if callback is None or callback.__module__ in ('weakref', '_weakrefset'):
            return False
        # Abstract classes refer weakly to their subclasses.
        return type(callback) is not BuiltinFunctionType or callback.__name__ != '_destroy'

    def direct_subclasses():
        return {kind for base in (object, int, float, complex, str, bytes) for kind in base.__subclasses__()}

    def matters():
        """Whether anything could notice that objects and modules are not freed."""
        if _thread._count() > 0 or sys.gettrace() or sys.getprofile() or gc.callbacks or gc.get_debug():
            return True
        if sys.stdout is not sys.__stdout__ or sys.stderr is not sys.__stderr__:
            return True
        if 'PYTHONINSPECT' in os.environ or not resources.isdisjoint(sys.modules):
            return True
        for module in list(sys.modules.values()):
            file = getattr(module, '__file__', None)
            if file and not file.endswith('.py') and '/lib-dynload/' not in file:
                return True
        weakref = sys.modules.get('weakref')
        if weakref and weakref.finalize._registry:
            return True
        known = set(map(id, finalizers_before))
        if any(id(one) not in known for one in finalizers()):
            return True
        # The collector does not know objects without attributes.
        return any('__del__' in vars(kind) for kind in direct_subclasses() - classes_before)

    def end(status):
        """Exits after what Python does before it frees objects; returns if that would matter."""
        try:
            for stream in sys.stderr, sys.stdout:
                try:
                    stream.flush()
                except Exception:
                    pass
            if matters():
                return
            threading = sys.modules.get('threading')
            if threading:
                if threading._threading_atexits:
                    return
                threading._shutdown()
            if atexit._ncallbacks():
                atexit._run_exitfuncs()
                if matters():
                    return
            sys.stdout.flush()
            sys.stderr.flush()
        except Exception:
            return
        os._exit(status)

    names = vars(sys.modules['__main__'])
    path = sys.argv[1]
    del sys.argv[0], sys.orig_argv[-3:-1], names['launch']
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    loader = SourceFileLoader('__main__', path)
    names.update(__file__=path, __cached__=None, __loader__=loader)
    finalizers_before, classes_before = finalizers(), direct_subclasses()
    status = 0
    try:
        exec(compile(loader.get_data(path), path, 'exec', dont_inherit=True), names)
    except SystemExit as exit:
        status = 0 if exit.code is None else exit.code
        if type(status) is not int or not 0 <= status <= 255:
            raise
    except BaseException as error:
        hook, traceback = sys.excepthook, error.__traceback__.tb_next
        def without_launcher(kind, value, _):
            sys.excepthook = hook
            sys.last_traceback = value.__traceback__ = traceback
            hook(kind, value, traceback)
        sys.excepthook = without_launcher
        raise
    end(status)
    if status:
        sys.exit(status)

import os, sys
if sys.version_info[:2] not in ((3, 11), (3, 12), (3, 13)):
    os.execv(sys.executable, [sys.executable, sys.argv[1]])
del os, sys
launch()
`;
