"""The command line: exit statuses and the numbers of --json. Each line is a command, words as a shell splits them."""

import shlex

from tests.corpus import face
from tests.corpus.calls import files

SIZES = "--n-train 90 --n-test 10"
TEST = f"""
pair.csv
scores.csv {SIZES}
pair.csv {SIZES} --higher-is-better
pair.csv {SIZES} --lower-is-better
pair.csv {SIZES} --higher-is-better --lower-is-better
pair.csv {SIZES} --columns a,b
pair.csv {SIZES} --columns a
scores.csv {SIZES} --columns a,z
pair.csv {SIZES} --metric f1
scores.csv {SIZES} --baseline b
scores.csv {SIZES} --baseline z
scores.csv {SIZES} --adjust max-t
scores.csv {SIZES} --adjust none --level 0.9
scores.csv {SIZES} --adjust hommel --alternative less --baseline a
scores.csv {SIZES} --adjust sidak
pair.csv {SIZES} --level 1.5
pair.csv {SIZES} --level x
pair.csv {SIZES} --alternative both
scores.csv {SIZES} --kind kfold
pair.csv {SIZES} --kind subsampling --method corrected-t
pair.csv {SIZES} --kind bootstrap --method bootstrap-benchmark
pair.csv {SIZES} --kind data-sets
pair.csv {SIZES} --kind nothing
pair.csv {SIZES} --method resampled-t
pair.csv {SIZES} --method bayes-correlated-t --rope 0.1
pair.csv {SIZES} --method corrected-t --option correlation=0.3
pair.csv {SIZES} --method corrected-t --option rho=0.3
scores.csv {SIZES} --method corrected-t --method resampled-t
pair.csv {SIZES} --method kfold-t --option rho=0.7
pair.csv {SIZES} --method cv-t
pair.csv {SIZES} --method wilcoxon
pair.csv {SIZES} --method outperformance
pair.csv {SIZES} --method t
scores.csv {SIZES} --rope 0.2
pair.csv {SIZES} --rope -1
pair.csv {SIZES} --null 0.1
pair.csv {SIZES} --fold nothing
pair.csv {SIZES} --time nothing
pair.csv --n-train 0.9 --n-test 0.1
pair.csv --n-train -5 --n-test 10
pair.csv --n-train 90
pair.csv {SIZES} --metric
pair.csv {SIZES} --fail-if 'a worse-than b by 0.1'
pair.csv {SIZES} --fail-if 'b worse-than a by 0.1'
pair.csv {SIZES} --fail-if 'a worse-than b by 5'
pair.csv {SIZES} --fail-if 'a not-better-than b'
pair.csv {SIZES} --fail-if 'b not-better-than a' --level 0.6
pair.csv {SIZES} --fail-if 'a worse-than b by 5' --fail-if 'a not-better-than b'
pair.csv {SIZES} --fail-if 'a better-than b'
pair.csv {SIZES} --fail-if 'a worse-than z by 0.1'
pair.csv {SIZES} --fail-if ''
semicolons.csv {SIZES}
tabs.tsv {SIZES}
packed.csv.gz {SIZES}
packed.csv.xz {SIZES}
scores.parquet {SIZES}
scores.json {SIZES}
sized.csv
folds.csv {SIZES}
folds.csv {SIZES} --columns a
folds.csv {SIZES} --method kfold-t
repeats.csv --n-train 30 --n-test 10
repeats.csv --n-train 30 --n-test 10 --columns a,c
repeats.csv --n-train 30 --n-test 10 --repeat repeat --fold fold
repeats.csv --n-train 30 --n-test 10 --method corrected-t --baseline c
five.csv --n-train 50 --n-test 50
five.csv --n-train 50 --n-test 50 --kind 5x2 --method 5x2cv-t
five.csv --n-train 50 --n-test 50 --kind 5x2 --method 5x2cv-f
single.csv {SIZES}
single.csv {SIZES} --null 0.1 --alternative greater
single.csv {SIZES} --fail-if 'loss above 2'
single.csv {SIZES} --fail-if 'below 5'
seeds.csv {SIZES}
seeds.csv {SIZES} --seed seed
seeds.csv {SIZES} --repeat seed
runs.csv {SIZES}
runs.csv {SIZES} --split run
runs.csv {SIZES} --repeat run
index.csv {SIZES}
named.csv {SIZES}
named.csv {SIZES} --kind data-sets
named.csv --kind data-sets --method wilcoxon
named.csv --kind data-sets --method sign-test
named.csv --kind data-sets --method bayes-signed-rank --rope 0.1 --option samples=2000
percent.csv {SIZES} --higher-is-better
holes.csv {SIZES}
equal.csv {SIZES}
equal.csv {SIZES} --columns a
'one row.csv' {SIZES}
times.csv {SIZES}
times.csv {SIZES} --time date
halves.csv {SIZES} --kind halves
halves.csv {SIZES} --kind halves --method conservative-z
losses.csv
losses.csv --example example --n-train 80
losses.csv --method bootstrap --option resamples=199
losses.csv --method permutation --option resamples=199
'fold losses.csv'
'fold losses.csv' --method cv-wald
'fold losses.csv' --method cv-t --n-train 30
'fold losses.csv' --columns a,b
'repeated losses.csv'
'repeated losses.csv' --repeat repeat --fold fold --example example
'repeated losses.csv' --fold fold --example example
'repeated losses.csv' --columns a,b
wide.csv
wide.csv --example question
wide.csv --example question --groups topic --higher-is-better
wide.csv --example question --method mcnemar
wide.csv --method holdout-t --columns m0,m1
wide.csv --method holdout-t --columns m0,m1 --example question --ignore topic
wide.csv --example question --ignore topic
wide.csv --columns m0,m1,m2 --kind examples --ignore question,topic
long.csv
long.csv --learner model --value correct
long.csv --learner model --value correct --example question --ignore topic
long.csv --learner model --value correct --example question --higher-is-better --method holdout-t --ignore topic
long.csv --learner model --value correct --example question --groups topic
long.csv --learner model --value right
long.parquet --learner model --value correct --example question --ignore topic
long.jsonl --learner model --value correct --example question
long.jsonl --value correct --example question --ignore topic
'long with a gap.csv' --learner model --value correct --example question --ignore topic
'long with a gap.csv' --learner model --value correct --example question --missing examples --ignore topic
'long with a gap.csv' --learner model --value correct --example question --missing none
'long seeds.csv' --learner model --value value --example question --seed seed
'long seeds.csv' --learner model --value value --example question --seed seed --option seeds=shared
'long seeds.csv' --learner model --value value --example question
'long seeds.csv' --learner model --value value --example question --repeat seed
'seed losses.csv'
'seed losses.csv' --seed seed --example example
'seed losses.csv' --seed seed --example example --method crossed-or
passages.csv
passages.csv --groups none
passages.csv --groups passage
passages.csv --groups passage --columns a,b
passages.csv --groups passage --method holdout-t
'forecast losses.csv' --time date
'forecast losses.csv' --time date --method diebold-mariano --option horizon=3
'forecast losses.csv'
judged.csv --learner model --value people --judge 'model says' --example question --higher-is-better
judged.csv --learner model --value people --judge 'model says' --example question --option weight=1
judged.csv --learner model --value people --example question
labels.csv --truth y --columns tree,forest
labels.csv --truth y --fold none --columns tree,forest
labels.csv --truth y --fold none --columns tree,forest --positive yes
labels.csv --truth y --fold none --columns tree,forest --loss f1
labels.csv --truth y --fold none --columns tree,forest --loss f1 --positive yes
labels.csv --truth y --fold none --columns tree,forest --loss f1 --loss zero-one --positive yes
labels.csv --truth y --fold none --columns tree,forest --loss f1 --loss recall --positive yes --fail-if 'tree worse-than forest by 0.9 on f1'
labels.csv --truth y --fold none --columns tree,forest --loss f1 --loss recall --positive yes --fail-if 'tree worse-than forest by 0.9'
labels.csv --truth z
labels.csv --truth y --fold none --columns tree,forest --loss f3
labels.csv --truth y --fold none --columns tree,forest --method mcnemar
labels.csv --truth y --fold none --columns tree,forest --method paired-proportions --level 0.9
labels.csv --truth y --fold none --columns tree
labels.csv --truth y --fold none --columns tree --method binomial --null 0.4
'fold labels.csv' --truth y --columns tree,forest
'fold labels.csv' --truth y --columns tree,forest --fold fold
'fold labels.csv' --truth y --fold fold --columns tree,forest
'fold labels.csv' --truth y --columns tree,forest --loss f1 --positive yes --pool none
'fold labels.csv' --truth y --columns tree,forest --loss f1 --positive yes --pool folds
'fold labels.csv' --truth y --columns tree,forest --loss recall --positive yes --pool splits
'fold labels.csv' --truth y --columns tree,forest --loss recall --positive yes --pool all
'group labels.csv' --truth y --fold none --columns tree,forest
'group labels.csv' --truth y --fold none --columns tree,forest --groups patient
'group labels.csv' --truth y --fold none --columns tree,forest --groups patient --loss f1 --positive yes
marks.csv --truth y --fold none --columns tree,forest
marks.csv --truth y --fold none --columns tree,forest --positive yes
marks.csv --truth y --fold none --columns tree,forest --positive yes --method delong
marks.csv --truth y --fold none --columns tree,forest --positive yes --loss average_precision
'fold marks.csv' --truth y --columns tree,forest --positive yes
'fold marks.csv' --truth y --columns tree,forest --positive yes --loss roc_auc --loss average_precision
chances.csv --truth y --fold none --columns tree:no,tree:yes
chances.csv --truth y --fold none --columns tree:no,tree:yes --loss log-loss --loss brier
chances.csv --truth y --fold none --columns tree:no,tree:yes --loss roc_auc --positive yes
three.csv --truth y --fold none --columns tree,forest
three.csv --truth y --fold none --columns tree,forest --loss f1_macro --loss kappa
three.csv --truth y --fold none --columns tree,forest --loss f1
numbers.csv --truth y --fold none --columns ridge,mean
numbers.csv --truth y --fold none --columns ridge,mean --loss r2
numbers.csv --truth y --fold none --columns ridge,mean --loss absolute-error --loss root_mean_squared_error
forecasts.csv --truth y --columns last,mean --time date
forecasts.csv --truth y --columns last,mean --time date --loss absolute-error --method diebold-mariano --option horizon=2
'long labels.csv' --learner model --value said --truth truth --fold none --example row
'long labels.csv' --learner model --value said --truth truth --fold none --example row --loss f1 --positive yes
'long fold labels.csv' --learner model --value said --truth truth --example row --fold fold
'word errors.csv' --columns wer_base,wer_new --example utt_id --lower-is-better
'word errors.csv' --columns wer_base,wer_new --example utt_id --lower-is-better --ignore ref_words,errors_base,errors_new
'word errors.csv'
topics.csv --higher-is-better
topics.csv --higher-is-better --example topic
dice.csv --higher-is-better
dice.csv --higher-is-better --groups subject --columns sct_v72,new_model
dice.csv --higher-is-better --groups subject --columns sct_v72,new_model --ignore session
oof.csv --truth obs --positive case --loss roc_auc
oof.csv --truth obs --positive case --loss roc_auc --columns glmnet,rf
oof.csv --truth obs --positive case --loss roc_auc --columns glmnet,rf --repeat rep --fold fold --example rowIndex
caret.csv --truth obs --positive case --loss roc_auc --columns glmnet,rf --fold Resample
caret.csv --truth obs --positive case --loss roc_auc --columns glmnet,rf --fold Resample --example rowIndex
benchmark.csv --learner framework --value result --example task --repeat fold --higher-is-better
sites.csv --truth y --columns lasso_cv10,rf_cv10
sites.csv --truth y --columns lasso_cv10,rf_cv10 --fold fold10
sites.csv --truth y --columns lasso_cv10,rf_cv10 --fold fold10 --ignore site
sites.csv --truth y --columns lasso_cv10,rf_cv10 --groups site
series.csv --truth y --columns AutoARIMA,SeasonalNaive
series.csv --truth y --time ds --groups unique_id --columns AutoARIMA,SeasonalNaive
series.csv --truth y --time ds --columns AutoARIMA,SeasonalNaive
series.csv --truth y --time ds --columns AutoARIMA,SeasonalNaive --groups none
series.csv --truth y --groups unique_id --columns AutoARIMA,SeasonalNaive
returns.csv --higher-is-better
returns.csv --higher-is-better --seed seed
returns.csv --higher-is-better --method resampled-t
returns.csv --higher-is-better --method outperformance
returns.csv --higher-is-better --method wilcoxon
'long returns.csv' --learner algorithm --value episode_return --seed seed --higher-is-better
resamples.csv --higher-is-better
resamples.csv --higher-is-better --n-train 270 --n-test 30
accuracy.csv --n-train 270 --n-test 30 --metric accuracy --baseline glm
'class precision.csv' --higher-is-better
'class precision.csv' --higher-is-better --example class
faithfulness.csv --learner pipeline --value faithfulness --example user_input --higher-is-better
faithfulness.csv --learner pipeline --value faithfulness --example user_input --higher-is-better --missing examples
logs
logs --groups none
logs --groups task
logs/small logs/large --metric acc
one/large one/small
one --groups page
one --metric loss
one --metric bleu
sampled
sampled --method crossed-or
suite
suite --groups none
inspected
inspected --metric match
inspected --metric other
epochs
big=inspected/large.json little=inspected/small.json
results.json
empty.csv
header.csv
words.csv {SIZES}
ragged.csv {SIZES}
noise.csv {SIZES}
nowhere.csv {SIZES}
pair.csv {SIZES} --nothing
pair.csv {SIZES} --out numbers.json
pair.csv {SIZES} --out report.md
pair.csv {SIZES} --out report.doc
pair.csv {SIZES} --out nowhere/report.md
"""
POWER = """
--deviation 0.02 --n-train 270 --n-test 30
--deviation 0.02 --n-train 270 --n-test 30 --difference 0.02
--deviation 0.02 --n-train 270 --n-test 30 --difference 0.02 --repeats 30 --power 0.9
--deviation 0.02 --n-train 270 --n-test 30 --difference -0.02 --alternative less --level 0.9
--deviation 0.02
--deviation -1 --n-train 270 --n-test 30
scores.csv --pair a,b --n-train 90 --n-test 10
scores.csv --pair a,b --n-train 90 --n-test 10 --difference 0.1
scores.csv --n-train 90 --n-test 10
scores.csv --pair a,z --n-train 90 --n-test 10
repeats.csv --pair a,b --n-train 30 --n-test 10 --difference 0.5 --higher-is-better
single.csv --n-train 90 --n-test 10 --difference 0.1
sized.csv --pair a,b --difference 0.2
'seed losses.csv' --design crossed --seed seed --example example
'seed losses.csv' --design crossed --seed seed --example example --difference 0.2 --cost-seed 3 --cost-example 0.05
'seed losses.csv' --design crossed --seed seed --example example --seeds 5 --examples 100 --shared-seeds
'long seeds.csv' --learner model --value value --example question --seed seed --design crossed --difference 0.1
sampled --design crossed --cost-seed 3 --cost-example 0.05
passages.csv --design clusters --groups passage --difference 0.3
passages.csv --design clusters --groups passage --clusters 30 --per-cluster 5 --cost-cluster 10 --cost-example 1 --difference 0.3
--design squares
labels.csv --truth y --fold none --design clusters --groups tree
'group labels.csv' --truth y --fold none --columns tree,forest --groups patient --design clusters --difference 0.1
nowhere.csv
"""
RANKS = """
named.csv
named.csv --higher-is-better
named.csv --higher-is-better --post-hoc holm
named.csv --post-hoc wilcoxon --adjust hommel
named.csv --baseline b
named.csv --baseline b --post-hoc wilcoxon --higher-is-better
named.csv --baseline z
named.csv --post-hoc tukey
named.csv --columns b,c,a
named.csv --columns a,b
named.csv --level 0.9
accuracies.csv --higher-is-better
scores.parquet
scores.csv
repeats.csv
folds.csv
equal.csv
holes.csv
'one row.csv'
topics.csv --higher-is-better
'class precision.csv' --higher-is-better --post-hoc wilcoxon
benchmark.csv --higher-is-better
nowhere.csv
empty.csv
"""
LINE = "--model line=models.py:line --model mean=models.py:mean"
STUMP = "--model stump=models.py:stump --model other=models.py:other_stump"
COMPARE = f"""
regression.csv --target y {LINE}
regression.csv --target y {LINE} --plan 4
regression.csv --target y {LINE} --plan 'KFold(folds=4, repeats=2)'
regression.csv --target y {LINE} --plan 5 --method cv-wald
regression.csv --target y {LINE} --plan 'Nothing(3)'
regression.csv --target y {LINE} --model second=models.py:second --plan 4 --baseline mean
regression.csv --target y {LINE} --method corrected-t --plan 'Subsampling(repeats=5, n_test=0.2)'
regression.csv --target y {LINE} --method corrected-t --method kfold-t --plan 4
regression.csv --target y {LINE} --method bayes-correlated-t --plan 'Subsampling(repeats=5)' --rope 0.1
regression.csv --target y {LINE} --method nested-cv --plan 'NestedKFold(folds=3, repeats=1)'
regression.csv --target y {LINE} --loss r2 --loss absolute-error --plan 4
regression.csv --target y {LINE} --loss f1
regression.csv --target y {LINE} --plan 'Seeds(3)'
regression.csv --target y --model a=models.py:wobble --model b=models.py:line --plan 'Seeds(3)' --random-state 2
regression.csv --target y {LINE} --plan 4 --random-state 7
regression.csv --target y {LINE} --looks 4,8
regression.csv --target y {LINE} --looks 8,4
regression.csv --target y {LINE} --plan 4 --fail-if 'mean worse-than line by 0.1'
regression.csv --target y {LINE} --plan 4 --fail-if 'line worse-than mean by 0.1'
regression.csv --target y {LINE} --plan 4 --fail-if 'line worse-than mean by 9'
regression.csv --target y {LINE} --model broken=models.py:broken --plan 4
regression.csv --target y --model broken=models.py:broken --model mean=models.py:mean --plan 4
regression.csv --target y --model line=models.py:line
regression.csv --target y --model line=models.py:nothing --model mean=models.py:mean
regression.csv --target z {LINE}
regression.csv {LINE}
regression.csv --target y {LINE} --drop x2 --plan 4
regression.csv --target y {LINE} --drop nothing
regression.csv --target y --model LinearRegression --model 'KNeighborsRegressor(n_neighbors=3)' --plan 3
regression.csv --target y --model 'DummyRegressor()' --model mean=models.py:mean --plan 4
two.csv --target y {STUMP}
two.csv --target y {STUMP} --plan 4 --stratify
two.csv --target y {STUMP} --loss f1 --plan 4
two.csv --target y {STUMP} --loss f1 --positive yes --plan 4
two.csv --target y {STUMP} --loss f1 --loss roc_auc --loss log-loss --positive yes --plan 4
two.csv --target y {STUMP} --loss roc_auc --positive yes --plan 4 --stratify --pool splits
two.csv --target y {STUMP} --loss f1 --loss recall --positive yes --plan 4 --fail-if 'other worse-than stump by 0.01 on f1'
two.csv --target y {STUMP} --method mcnemar
two.csv --target y {STUMP} --method holdout-t --plan 'Holdout(n_test=0.4)'
two.csv --target y {STUMP} --method 632-plus --plan 'Bootstrap(repeats=10, training_error=True)'
two.csv --target y --model a=models.py:commonest --model b=models.py:stump --plan 4
patients.csv --target y {STUMP} --plan 3
patients.csv --target y {STUMP} --groups patient
patients.csv --target y {STUMP} --groups patient --plan 5
patients.csv --target y {STUMP} --feature patient --plan 3
patients.csv --target y {STUMP} --groups patient --method cv-wald
sales.csv --target y {LINE} --plan 3
sales.csv --target y {LINE} --time date
sales.csv --target y {LINE} --time date --plan 'RollingOrigin(n_train=20, n_test=5)'
sales.csv --target y {LINE} --time date --method diebold-mariano --option horizon=2
sales.csv --target y {LINE} --time date --groups x0
colours.csv --target y {STUMP} --plan 4
ids.csv --target y {STUMP} --plan 4
ids.csv --target y {STUMP} --plan 4 --drop id
nowhere.csv --target y {STUMP}
empty.csv --target y {STUMP}
"""
EVALUATE = """
regression.csv --target y --model models.py:line --plan 4
regression.csv --target y --model models.py:line --loss r2 --plan 4
regression.csv --target y --model models.py:line --plan 4 --fail-if 'squared-error above 2'
regression.csv --target y --model models.py:line --plan 4 --fail-if 'squared-error above 0.1'
regression.csv --target y --model models.py:line --method nested-cv --plan 'NestedKFold(folds=3, repeats=1)'
regression.csv --target y --model models.py:broken --plan 4
two.csv --target y --model models.py:stump
two.csv --target y --model models.py:stump --method binomial
two.csv --target y --model models.py:stump --loss roc_auc --positive yes --plan 4 --fail-if 'roc_auc below 0.5'
two.csv --target y --model models.py:stump --loss roc_auc --positive yes --plan 4 --fail-if 'roc_auc below 0.99'
two.csv --target y --model models.py:stump --level 0.9 --plan 4
two.csv --target y --model models.py:stump --null 0.5 --alternative less --plan 4
patients.csv --target y --model models.py:stump --groups patient
sales.csv --target y --model models.py:line --time date
two.csv --target y --model models.py:stump --model models.py:commonest
two.csv --target y
"""
OTHERS = """
methods --json
methods cv-t --json
methods nothing
--version
--nothing
nothing
test
power
ranks
compare
evaluate
export nowhere.db
export nowhere.db --learner
store info nowhere.db
store
lab
lab nothing
demo --nothing
"""
EXPORTED = """
compare two.csv --target y --model stump=models.py:stump --model other=models.py:other_stump --plan 3 --store kept.db --json --quiet
compare two.csv --target y --model stump=models.py:stump --model other=models.py:other_stump --plan 3 --store kept.db --json --quiet --loss brier
store info kept.db
export kept.db
"""


def calls():
    files.write()
    for command, text, options in (
        ("test", TEST, ("--json",)),
        ("power", POWER, ("--json",)),
        ("ranks", RANKS, ("--json",)),
    ):
        for line in text.strip().splitlines():
            yield f"{command} {line}", run([command, *options, *shlex.split(line)])


def fits():
    files.write()
    for command, text in (("compare", COMPARE), ("evaluate", EVALUATE)):
        for line in text.strip().splitlines():
            yield f"{command} {line}", run([command, "--json", "--quiet", *shlex.split(line)])
    for line in (OTHERS + EXPORTED).strip().splitlines():
        if line:
            yield line, run(shlex.split(line))


def run(words):
    return lambda: face.command(*words)
