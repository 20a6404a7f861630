"""Show which parts of a configuration are shared by shallow and deep copies."""
import copy
import json
import sys


class Node:
    def __init__(self, name, parent=None):
        self.name, self.parent, self.children = name, parent, []
        if parent:
            parent.children.append(self)

    def __copy__(self):
        clone = Node(self.name + "'")
        clone.children = self.children
        return clone

    def __repr__(self):
        return f"{self.name}{self.children or ''}"


config = json.load(sys.stdin)
shallow, deep = copy.copy(config), copy.deepcopy(config)
config["list"].append("new")
config["name"] = "changed"
print(shallow["list"] is config["list"], deep["list"], shallow["name"])
root = Node("root")
leaf = Node("leaf", root)
clone = copy.deepcopy(root)
print(root, copy.copy(root), clone, clone.children[0].parent is clone, clone.children[0] is leaf)
loop = [1]
loop.append(loop)
twin = copy.deepcopy(loop)
print(loop, twin[1] is twin, copy.copy((1, [2])), copy.deepcopy({1: {2}}), copy.copy(print) is print)
