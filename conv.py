import subprocess,sys,re
spec,out=sys.argv[1:3]
t=subprocess.run(["/tmp/t/h3/takt-main","graph",spec],capture_output=True,text=True).stdout
w=[int(x) for x in re.findall(r"work: (\d+)",t)]; names=re.findall(r"- \{name: ([^,]+),",t); ix={a:i for i,a in enumerate(names)}
e=[(ix[a],ix[b]) for a,b in re.findall(r"from: ([^,]+), to: ([^,]+),",t)]
open(out,"w").write(f"{len(w)} {len(e)}\n{' '.join(map(str,w))}\n"+"\n".join(f"{a} {b}" for a,b in e))
