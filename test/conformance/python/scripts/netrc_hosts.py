"""List the hosts of a netrc file without their passwords."""
import netrc
import sys

try:
    hosts = netrc.netrc(sys.argv[1])
except FileNotFoundError as error:
    sys.exit(f"{error.strerror}: {error.filename}")
except netrc.NetrcParseError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
for host, (login, account, password) in sorted(hosts.hosts.items()):
    print(f"{host:<20} {login or '-':<10} {account or '-':<8} {'*' * len(password or '')}")
print(hosts.authenticators("nowhere"), list(hosts.macros))
