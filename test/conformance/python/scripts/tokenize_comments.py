"""Strip or list the comments of Python source on stdin."""
import io
import keyword
import sys
import token
import tokenize
from collections import Counter

source = sys.stdin.read()
kinds, comments, kept = Counter(), [], []
try:
    for each in tokenize.generate_tokens(io.StringIO(source).readline):
        kinds[token.tok_name[each.exact_type]] += 1
        if each.type == tokenize.COMMENT:
            comments.append((each.start, each.string))
        else:
            kept.append(each)
        if each.type == tokenize.NAME and keyword.iskeyword(each.string):
            kinds["keywords"] += 1
except (tokenize.TokenError, IndentationError) as error:
    print(type(error).__name__, error.args[0], file=sys.stderr)
    sys.exit(1)
print(comments)
print(dict(sorted(kinds.items())))
print(tokenize.untokenize(kept), end="")
print(tokenize.detect_encoding(io.BytesIO(b"# -*- coding: latin-1 -*-\n").readline), keyword.softkwlist)
