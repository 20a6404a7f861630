"""End in the way that the argument names."""
import os
import sys


class Quit(SystemExit):
    pass


def end(how):
    match how:
        case "none":
            sys.exit()
        case "code":
            sys.exit(17)
        case "large":
            sys.exit(300)
        case "negative":
            sys.exit(-1)
        case "text":
            sys.exit("a message ü")
        case "tuple":
            sys.exit((1, "two"))
        case "true":
            sys.exit(True)
        case "float":
            sys.exit(2.0)
        case "class":
            raise Quit
        case "value":
            raise Quit(9)
        case "quit":
            quit(6)
        case "assert":
            assert 1 > 2, f"{how} failed"
        case "interrupt":
            raise KeyboardInterrupt("stop")
        case "now":
            print("not flushed", end="")
            os._exit(5)
        case "finally":
            try:
                sys.exit(3)
            finally:
                print("finally")
        case "caught":
            try:
                sys.exit(3)
            except SystemExit as error:
                print("caught", error.code)
        case "group":
            raise ExceptionGroup("many", [ValueError(1), SyntaxError("two")])
        case "base":
            raise BaseException("bare")
        case _:
            raise NotImplementedError(how)


print("begin")
end(*sys.argv[1:])
print("end")
