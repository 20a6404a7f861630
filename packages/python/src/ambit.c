/* CPython as a reactor: initialized once, when the module is built, then run once in each fresh
   instance of the snapshot.

   ambit_python_init  initializes Python and imports what lib/_ambit_start.py lists
   ambit_python_run   runs the program that the arguments name, and returns its exit code */
#define Py_BUILD_CORE
#define PY_SSIZE_T_CLEAN
#include "Python.h"
#include "pycore_moduleobject.h"
#include "pycore_pylifecycle.h"
#include <signal.h>
#include <wasi/api.h>

void __wasilibc_initialize_environ(void);

__attribute__((import_module("ambit"), import_name("invoke"))) int32_t
host_invoke(const char *name, size_t name_length, const char *args, size_t args_length);
__attribute__((import_module("ambit"), import_name("answer"))) void host_answer(char *target);

/* wasi-libc takes an empty path for the working directory. The linker puts these in place of its own
   functions: they leave the path empty, and the host finds no file of that name. */
int __real___wasilibc_find_relpath(const char *path, const char **prefix, char **relative, size_t length);
int __real___wasilibc_find_relpath_alloc(const char *path, const char **prefix, char **relative, size_t *length,
                                         int can_realloc);

int __wrap___wasilibc_find_relpath(const char *path, const char **prefix, char **relative, size_t length)
{
    if (path[0] != 0)
        return __real___wasilibc_find_relpath(path, prefix, relative, length);
    int folder = __real___wasilibc_find_relpath("/", prefix, relative, length);
    *relative = "";
    return folder;
}

int __wrap___wasilibc_find_relpath_alloc(const char *path, const char **prefix, char **relative, size_t *length,
                                         int can_realloc)
{
    if (path[0] != 0)
        return __real___wasilibc_find_relpath_alloc(path, prefix, relative, length, can_realloc);
    int folder = __real___wasilibc_find_relpath_alloc("/", prefix, relative, length, can_realloc);
    if (folder >= 0)
        (*relative)[0] = 0;
    return folder;
}

/* invoke(name, args) calls a host function. `args` and the result are JSON. */
static PyObject *ambit_invoke(PyObject *module, PyObject *args)
{
    const char *name, *json;
    Py_ssize_t name_length, json_length;
    if (!PyArg_ParseTuple(args, "s#s#", &name, &name_length, &json, &json_length))
        return NULL;
    int32_t length = host_invoke(name, name_length, json, json_length);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, length < 0 ? -1 - length : length);
    if (bytes == NULL)
        return NULL;
    host_answer(PyBytes_AS_STRING(bytes));
    PyObject *text = PyUnicode_DecodeUTF8(PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes), "replace");
    Py_DECREF(bytes);
    if (text == NULL || length >= 0)
        return text;
    PyErr_SetObject(PyExc_OSError, text);
    Py_DECREF(text);
    return NULL;
}

/* The strings of WASI's arguments or environment, as a list of bytes. */
static PyObject *wasi_texts(__wasi_errno_t (*sizes)(__wasi_size_t *, __wasi_size_t *),
                            __wasi_errno_t (*get)(uint8_t **, uint8_t *))
{
    __wasi_size_t count, length;
    if (sizes(&count, &length) != __WASI_ERRNO_SUCCESS)
        return PyErr_SetFromErrno(PyExc_OSError);
    uint8_t **texts = PyMem_Malloc((count + 1) * sizeof(*texts));
    uint8_t *buffer = PyMem_Malloc(length + 1);
    PyObject *list = NULL;
    if (texts == NULL || buffer == NULL)
        PyErr_NoMemory();
    else if (get(texts, buffer) != __WASI_ERRNO_SUCCESS)
        PyErr_SetFromErrno(PyExc_OSError);
    else
        list = PyList_New(count);
    for (__wasi_size_t at = 0; list != NULL && at < count; at++) {
        PyObject *text = PyBytes_FromString((char *)texts[at]);
        if (text == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, at, text);
    }
    PyMem_Free(texts);
    PyMem_Free(buffer);
    return list;
}

static PyObject *ambit_arguments(PyObject *module, PyObject *unused)
{
    return wasi_texts(__wasi_args_sizes_get, __wasi_args_get);
}

static PyObject *ambit_environment(PyObject *module, PyObject *unused)
{
    return wasi_texts(__wasi_environ_sizes_get, __wasi_environ_get);
}

/* clear(module) drops what a module's namespace holds, as Python does when it ends. */
static PyObject *ambit_clear(PyObject *module, PyObject *cleared)
{
    if (PyModule_Check(cleared))
        _PyModule_Clear(cleared);
    Py_RETURN_NONE;
}

/* unraisable(exception, object) reports an exception that no code can handle. */
static PyObject *ambit_unraisable(PyObject *module, PyObject *args)
{
    PyObject *exception, *object;
    if (!PyArg_ParseTuple(args, "OO", &exception, &object))
        return NULL;
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    PyErr_WriteUnraisable(object);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"invoke", ambit_invoke, METH_VARARGS, NULL},
    {"arguments", ambit_arguments, METH_NOARGS, NULL},
    {"environment", ambit_environment, METH_NOARGS, NULL},
    {"clear", ambit_clear, METH_O, NULL},
    {"unraisable", ambit_unraisable, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_ambit", .m_size = 0, .m_methods = methods};

static PyObject *create_module(void)
{
    return PyModuleDef_Init(&definition);
}

static void check(PyStatus status)
{
    if (PyStatus_Exception(status))
        Py_ExitStatusException(status);
}

/* lib/_ambit_start.py. Imported once, because a program can replace __import__. */
static PyObject *start;

__attribute__((export_name("ambit_python_init"))) int ambit_python_init(void)
{
    PyPreConfig before;
    PyPreConfig_InitIsolatedConfig(&before);
    before.utf8_mode = 1;
    check(Py_PreInitialize(&before));
    if (PyImport_AppendInittab("_ambit", create_module) < 0)
        return 1;

    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.use_environment = 0;
    config.parse_argv = 0;
    config.user_site_directory = 0;
    config.write_bytecode = 0;
    config.install_signal_handlers = 0;
    /* The same order of sets in each call, and so the same fuel. Fuel also bounds collisions. */
    config.use_hash_seed = 1;
    config.hash_seed = 0;
    config.module_search_paths_set = 1;
    PyWideStringList_Append(&config.module_search_paths, L"/usr/lib/python3.11");
    PyConfig_SetString(&config, &config.stdio_encoding, L"utf-8");
    PyConfig_SetString(&config, &config.stdio_errors, L"surrogateescape");
    PyConfig_SetString(&config, &config.program_name, L"python3");
    PyConfig_SetString(&config, &config.executable, L"/usr/bin/python3");
    PyConfig_SetString(&config, &config.base_executable, L"/usr/bin/python3");
    PyConfig_SetString(&config, &config.prefix, L"/usr");
    PyConfig_SetString(&config, &config.exec_prefix, L"/usr");
    PyConfig_SetString(&config, &config.base_prefix, L"/usr");
    PyConfig_SetString(&config, &config.base_exec_prefix, L"/usr");
    check(Py_InitializeFromConfig(&config));
    PyConfig_Clear(&config);

    start = PyImport_ImportModule("_ambit_start");
    PyObject *prepared = start == NULL ? NULL : PyObject_CallMethod(start, "prepare", NULL);
    if (prepared == NULL) {
        PyErr_Print();
        return 1;
    }
    Py_DECREF(prepared);
    return 0;
}

/* What ambit_python_run returns for a program that ended because memory was refused. */
enum { out_of_memory = 256 };

/* The exit code for the raised exception, which is printed as Python itself does. */
static int exit_code_of_exception(void)
{
    int code;
    if (_Py_HandleSystemExit(&code))
        return code & 0xff;
    int lacked_memory = PyErr_ExceptionMatches(PyExc_MemoryError);
    int interrupted = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
    PyErr_Print();
    return lacked_memory ? out_of_memory : interrupted ? 128 + SIGINT : 1;
}

static PyObject *run_file(const char *path)
{
    PyObject *main = PyImport_AddModule("__main__");
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        PySys_FormatStderr("python3: can't open file '%s': [Errno %d] %s\n", path, errno, strerror(errno));
        PyObject *code = PyLong_FromLong(2);
        PyErr_SetObject(PyExc_SystemExit, code);
        Py_XDECREF(code);
        return NULL;
    }
    PyObject *globals = PyModule_GetDict(main);
    PyCompilerFlags flags = _PyCompilerFlags_INIT;
    return PyRun_FileExFlags(file, path, Py_file_input, globals, globals, 1, &flags);
}

static PyObject *run_module(const char *name)
{
    PyObject *runpy = PyImport_ImportModule("runpy");
    PyObject *result = runpy == NULL ? NULL : PyObject_CallMethod(runpy, "_run_module_as_main", "si", name, 1);
    Py_XDECREF(runpy);
    return result;
}

__attribute__((export_name("ambit_python_run"))) int ambit_python_run(void)
{
    __wasilibc_initialize_environ();
    /* ("file", path) or ("module", name) */
    PyObject *begun = PyObject_CallMethod(start, "begin", NULL);
    const char *kind, *target;
    if (begun == NULL || !PyArg_ParseTuple(begun, "ss", &kind, &target)) {
        PyErr_Print();
        return 1;
    }
    PyObject *result = strcmp(kind, "file") == 0 ? run_file(target) : run_module(target);
    int code = result == NULL ? exit_code_of_exception() : 0;
    Py_XDECREF(result);
    Py_DECREF(begun);

    PyObject *ended = PyObject_CallMethod(start, "end", NULL);
    if (ended == NULL) {
        PyErr_Clear();
        return code == 0 ? 120 : code;
    }
    int unflushed = PyObject_IsTrue(ended);
    Py_DECREF(ended);
    return code == 0 && unflushed ? 120 : code;
}
